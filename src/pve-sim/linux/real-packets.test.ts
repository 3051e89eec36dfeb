import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { harness } from '../testing/harness.ts'
import { canEnterGuests, sshInto } from './testing/ssh-into.ts'

/** A real guest that shares two cores with other tests is too slow to be waited for. */
const isWanted = process.env.LONG === '1'

const PATIENT = { timeout: 300_000, interval: 1000 }
const ADDRESS = '127.77.0.204'
const MAC = 'BC:24:11:00:00:51'
const VMID = 103
const FORGED = '198.51.100.7'

const folder = mkdtempSync(join(tmpdir(), 'hushbox-packets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.skipIf(!isWanted || !(await canEnterGuests()))(
  'the firewall of a VM decides what a real guest sends and hears, and its rate how fast',
  { timeout: 900_000 },
  async () => {
    const { publicKey, ssh } = sshInto(folder, ADDRESS)
    const pve = await harness({ qemu: 2, linux: 1 })
    const vm = pve.sim.state.vms.get(VMID)
    if (!vm) throw new Error('the demo has another VM')
    const card = (more = '') => {
      vm.config.net0 = `virtio=${MAC},bridge=vmbr0,firewall=1${more}`
    }
    const at = (rest: string) => `/nodes/pve1/qemu/${VMID}/firewall${rest}`
    const dropped = () => pve.sim.qemu?.dropped(VMID) ?? { in: 0, out: 0 }
    Object.assign(vm.config, {
      ciuser: 'root',
      sshkeys: encodeURIComponent(publicKey),
      ipconfig0: `ip=${ADDRESS}/24,gw=127.77.0.1`,
    })
    card()
    await pve.call('PUT', '/cluster/firewall/options', { enable: '1' })
    await pve.call('POST', at('/ipset'), { name: 'ipfilter-net0' })
    await pve.call('POST', at('/ipset/ipfilter-net0'), { cidr: ADDRESS })
    const options = { enable: '1', ipfilter: '1', macfilter: '1', dhcp: '0', policy_in: 'ACCEPT' }
    await pve.call('PUT', at('/options'), options)
    expect(await pve.run('POST', `/nodes/pve1/qemu/${VMID}/status/start`)).toBe('OK')
    expect(await vi.waitFor(() => ssh('root', 'echo in'), PATIENT)).toBe('in\n')

    // The guest's own address passes; a forged address does not, nor does a forged MAC.
    const sent = async (command: string) => {
      const before = dropped().out
      await ssh('root', command)
      return dropped().out - before
    }
    expect(await sent('ping -c 2 -W 2 10.0.2.2')).toBe(0)
    const forge = `ifconfig eth0:1 ${FORGED} netmask 255.255.255.255`
    expect(await sent(`${forge}; ping -c 3 -W 2 -I ${FORGED} 10.0.2.2; true`)).toBeGreaterThan(2)
    const other = 'BC:24:11:00:00:52'
    const swap = (mac: string) => `ifconfig eth0 down; ifconfig eth0 hw ether ${mac} 10.0.2.15 up`
    const whileOther = `(${swap(other)}; ping -c 3 -W 2 10.0.2.2; ${swap(MAC)}) </dev/null >/dev/null 2>&1`
    expect(await sent(whileOther)).toBeGreaterThan(2)

    // Who locks himself out is out: new connections end at the rule.
    await pve.call('PUT', at('/options'), { policy_in: 'DROP' })
    const heard = dropped().in
    await expect(ssh('root', 'true', 5)).rejects.toThrow(/timed out|timeout/i)
    expect(dropped().in).toBeGreaterThan(heard)
    const let22In = { type: 'in', action: 'ACCEPT', proto: 'tcp', dport: '22', enable: '1' }
    await pve.call('POST', at('/rules'), let22In)
    expect(await ssh('root', 'echo again')).toBe('again\n')

    // A megabyte at a tenth of one per second.
    card(',rate=0.1')
    const began = performance.now()
    const bytes = await ssh('root', 'dd if=/dev/zero bs=1000 count=1000 2>/dev/null | tr "\\\\0" x')
    expect(bytes).toHaveLength(1_000_000)
    expect(performance.now() - began).toBeGreaterThan(8000)
    await pve.close()
  },
)
