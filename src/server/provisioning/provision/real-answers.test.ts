import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { findImage, type GuestImage } from '#pve-sim/linux/guest-image.ts'
import { canForward } from '#pve-sim/linux/guest-network.ts'
import { newSystemDisk } from '#pve-sim/linux/system-disk.ts'
import { fileName } from '#pve-sim/qemu/disk-images.ts'
import { findQemu } from '#pve-sim/qemu/find-qemu.ts'
import { lookAt } from '#pve-sim/qemu/testing/outside.ts'
import { bootVolume } from '#pve-sim/vm/disks.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { usePool } from '../../testing/with-sim.ts'
import { asBegins } from '../testing/by-hand.ts'
import { openSilence } from '../testing/silence.ts'

/** A start takes half a minute in software emulation: else only the first, and a healthy one. */
const isLong = process.env.LONG === '1'
const PATIENT = { timeout: 300_000, interval: 1000 }
const LIMIT = { timeout: 600_000 }
const NETWORK = {
  cidr: '127.77.0.0/24',
  gateway: '127.77.0.1',
  ranges: [{ first: '127.77.0.210', last: '127.77.0.240' }],
}
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
const debugfs = folders.map((one) => join(one, 'debugfs')).find((file) => existsSync(file))
const image = findImage()

async function missing(): Promise<string | undefined> {
  if (!(await findQemu())) return 'qemu-system-x86_64 is not installed here'
  if (!image) return 'the guest image is not built here: npm run guest-image'
  if (!debugfs) return "debugfs, of Debian's e2fsprogs, is not installed here"
  return (await canForward()) ? undefined : 'port 2222 of 127.77.0.1 cannot be used here'
}
const why = await missing()

/** What a broken template does at its first start, in place of the line that gives the address. */
const ADDRESS = 'ifconfig eth0 10.0.2.15'
const SICK: Record<string, { does: string; shows: string }> = {
  'without network': { does: 'ifconfig eth0 down', shows: 'login:' },
  'with a wrong address': { does: 'ifconfig eth0 10.0.2.99', shows: 'login:' },
  // Its network has two addresses: answers to any other one go to a gateway that is not there.
  'with a wrong gateway': {
    does: 'ifconfig eth0 10.0.2.15 netmask 255.255.255.254; route add default gw 10.0.2.14',
    shows: 'login:',
  },
  'whose first start hangs': {
    does: 'echo the first start hangs >/dev/tty0; while :; do sleep 1000; done',
    shows: 'the first start hangs',
  },
}

if (why === undefined && image && debugfs) sellRealGuests(image, debugfs)
else test.skip(`real guests that are sold: ${why}`, () => undefined)

function sellRealGuests(image: GuestImage, debugfs: string) {
  describe('a real guest that is sold', async () => {
    const clock = testClock()
    const t = await testApp({ sim: { qemu: 2, linux: 1 }, clock })
    const world = await openSilence(t, clock)
    const { hand, shop, buy, pass } = world
    await usePool(t.deps, t.cluster, NETWORK)
    // Only what comes over the network proves that the network is right.
    world.answer(false)
    let lastHost = 209
    const folder = tempFolder('sick')

    const sell = () => {
      lastHost += 1
      return buy({ ipAddress: `127.77.0.${lastHost}` })
    }
    const vmOf = async (tokenId: number) => {
      const [instance] = await shop.instancesOf(tokenId)
      const vm = t.sim.state.vms.get(instance?.vmId ?? 0)
      if (!vm) throw new Error('the cluster has no such VM')
      return vm
    }
    /** Writes its disk before the first start, with another line in the script of that start. */
    const spoil = async (tokenId: number, does: string) => {
      const vm = await vmOf(tokenId)
      const disk = join(t.sim.qemu?.folder ?? '', `${fileName(bootVolume(vm.config))}.system`)
      await newSystemDisk(image, disk, vm.guest.os)
      const run = (command: string) =>
        execFileSync(debugfs, ['-w', '-R', command, disk], { encoding: 'utf8', stdio: 'pipe' })
      const script = execFileSync(debugfs, ['-R', 'cat /etc/init.d/boot', disk], {
        encoding: 'utf8',
      })
      expect(script).toContain(`${ADDRESS}\n`)
      const file = join(folder, `boot-${vm.vmid}`)
      writeFileSync(file, script.replace(ADDRESS, does), { mode: 0o755 })
      run('rm /etc/init.d/boot')
      run(`write ${file} /etc/init.d/boot`)
      run('set_inode_field /etc/init.d/boot mode 0100755')
    }
    /** QEMU opens its control socket a moment after the cluster calls the VM running. */
    const untilItShows = async (tokenId: number, text: string) => {
      const vm = { folder: t.sim.qemu?.folder ?? '', vmid: (await vmOf(tokenId)).vmid }
      const shown = () => lookAt(vm, (guest) => guest.text())
      await vi.waitFor(async () => expect(await shown()).toContain(text), PATIENT)
    }

    test.each(Object.entries(SICK).slice(0, isLong ? undefined : 1))(
      'one %s is caught: the money comes back',
      LIMIT,
      async (_, { does, shows }) => {
        const sale = await sell()
        const run = hand.run(
          sale.jobId,
          asBegins('start', () => spoil(sale.token.id, does)),
        )
        const ended = run.catch((error: unknown) => expect(error).toBeInstanceOf(RunAgainError))
        await vi.waitFor(
          async () => expect((await vmOf(sale.token.id)).qmp).toBe('running'),
          PATIENT,
        )
        await untilItShows(sale.token.id, shows)
        expect(await world.moneyOf(sale)).toEqual({ held: 500, earned: 0, credit: 0 })
        await pass(10 * MINUTE_MS)
        await ended
        await hand.silence()
        await world.expectReturned(sale)
        await hand.runToEnd(sale.jobId)
        await world.expectRemoved(sale)
      },
    )

    test('a healthy one is paid, by the host key that it shows', LIMIT, async () => {
      const sale = await sell()
      await hand.runToEnd(sale.jobId)
      await world.expectDelivered(sale)
      expect(await shop.orderRow(sale.order.id)).toMatchObject({
        answeredBy: 'ssh',
        hostKey: expect.stringMatching(/^SHA256:/),
      })
    })
  })
}
