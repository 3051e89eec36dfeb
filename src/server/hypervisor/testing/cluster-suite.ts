import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { failureOf } from '#proxmox/testing/failure-of.ts'
import { changeNetDevice } from '#proxmox/wire/property-string.ts'
import type { FirewallWish } from '../port/firewall.ts'
import type { Hypervisor, VmAddress } from '../port/hypervisor.ts'
import { type DiskFile, digestOf, hasQemuTools, writePattern } from './disk-bytes.ts'

/** A cluster to test against: the simulator, or a real one. */
export type Target = {
  client: ProxmoxClient
  hypervisor: Hypervisor
  template: number
  /** Where the VM is made, for an account whose rights are there. */
  pool?: string | undefined
  /** The file of a volume, where this machine can read and write it. */
  fileOf?: ((volume: string) => DiskFile) | undefined
  close(): Promise<void>
}

const SNAPSHOT = 'hb-0123456789abcdef'
const MAIL = { direction: 'out', action: 'DROP', protocol: 'tcp', ports: '25' } as const
const WEB = { direction: 'in', action: 'ACCEPT', protocol: 'tcp', ports: '80,443' } as const
const REST = { direction: 'in', action: 'DROP', comment: ' all\nelse ' } as const
const wish: FirewallWish = {
  addresses: ['203.0.113.7', '2001:DB8:1:2:0:0:0:0/64'],
  rules: [MAIL, { ...WEB, source: '198.51.100.0/24' }, REST],
}

/** The parts of our port that go through several calls, on one VM. Leaves nothing behind. */
export function clusterSuite(open: () => Promise<Target>): void {
  let target: Target
  let client: ProxmoxClient
  let hypervisor: Hypervisor
  let vm: VmAddress
  let place: { node: string; vmid: number }

  const done = async (task: Promise<string | undefined>) => {
    const upid = await task
    if (upid !== undefined) await client.tasks.wait(upid)
  }
  const values = async () => (await client.qemu.config(place)).values

  beforeAll(async () => {
    target = await open()
    ;({ client, hypervisor } = target)
    const template = await client.find.locate(target.template)
    if (!template) throw new Error(`no template ${target.template}`)
    place = { node: template.node, vmid: await client.cluster.nextId() }
    const marker = `hushbox:test-${place.vmid}-${Date.now()}`
    vm = { vmId: place.vmid, node: place.node, marker }
    const { pool } = target
    const ours = { name: 'hushbox-test', description: marker, pool }
    const order = { newid: place.vmid, full: true, ...ours }
    await done(client.qemu.clone(template, order))
  })
  afterAll(async () => {
    if (place) {
      await done(client.qemu.stop(place, { overruleShutdown: true }))
      await done(client.qemu.remove(place))
    }
    await hypervisor?.close()
    await client?.close()
    await target?.close()
  })

  describe('a firewall', () => {
    /** What the VM's own file is accused of; the datacenter's switches are the operator's. */
    const own = async (faults: Promise<string[]>) =>
      (await faults).filter((fault) => fault === 'differs')
    const set = () => own(hypervisor.setFirewall(vm, wish))
    const faults = () => own(hypervisor.firewallFaults(vm, wish))

    it('replaces whatever the template left', async () => {
      const { firewall } = client
      await firewall.setOptions(place, { enable: true, dhcp: true, policy_in: 'DROP' })
      await firewall.addSet(place, 'ipfilter-net0')
      await firewall.addMember(place, 'ipfilter-net0', '198.51.100.9/24')
      for (const dport of ['1', '2', '3', '4']) {
        await firewall.addRule(place, {
          type: 'in',
          action: 'DROP',
          enable: true,
          proto: 'tcp',
          dport,
        })
      }
      expect(await faults()).toEqual(['differs'])
      expect(await set()).toEqual([])
      expect(await faults()).toEqual([])
      expect(await firewall.rules(place)).toMatchObject([
        { pos: 0, dport: '25' },
        { pos: 1, dport: '80,443', source: '198.51.100.0/24' },
        { pos: 2, comment: 'all else' },
      ])
    })

    it.each<[string, (rules: Awaited<ReturnType<ProxmoxClient['firewall']['rules']>>) => unknown]>([
      ['an option', () => client.firewall.setOptions(place, { ipfilter: false })],
      ['an address more', () => client.firewall.addMember(place, 'ipfilter-net0', '203.0.113.9')],
      [
        'an address less',
        () => client.firewall.removeMember(place, 'ipfilter-net0', '203.0.113.7'),
      ],
      ['the set', () => client.firewall.removeSet(place, 'ipfilter-net0')],
      [
        'a rule',
        () => client.firewall.addRule(place, { type: 'in', action: 'ACCEPT', enable: true }),
      ],
      [
        'a rule less',
        ([first]) => client.firewall.removeRule(place, { pos: 0, digest: first?.digest }),
      ],
      [
        'the card',
        async () => {
          const { net0 = '' } = await values()
          const change = { net0: changeNetDevice(net0, { firewall: '0' }) }
          await done(client.qemu.setConfig(place, { set: change }))
        },
      ],
    ])('that someone changed by %s is noticed and mended', async (_, change) => {
      await set()
      await change(await client.firewall.rules(place))
      expect(await faults()).toEqual(['differs'])
      expect(await set()).toEqual([])
    })
  })

  describe('a snapshot', () => {
    const take = () => hypervisor.takeSnapshot(vm, { name: SNAPSHOT, description: 'Grüße, mine' })

    it('is taken once, of a running VM too, and listed', async () => {
      await done(client.qemu.start(place))
      const { volume } = await take()
      expect(await take()).toEqual({ volume })
      const view = await hypervisor.snapshots(vm)
      expect(view).toMatchObject({
        snapshots: [{ name: SNAPSHOT, description: 'Grüße, mine', isWhole: true }],
        volume,
      })
      expect(view.room?.total).toBeGreaterThan(0)
    })

    it('brings the disk back, and leaves what is sold as it is now', async () => {
      const { net0 = '' } = await values()
      const change = {
        name: 'sold-since',
        tags: 'since',
        net0: changeNetDevice(net0, { rate: '12.5' }),
        ipconfig0: 'ip=203.0.113.77/24,gw=203.0.113.1',
      }
      await done(client.qemu.stop(place))
      await done(client.qemu.setConfig(place, { set: change }))
      const sold = await hypervisor.soldConfig(vm)
      await hypervisor.rollBackTo(vm, SNAPSHOT)
      expect(await values()).not.toMatchObject({ tags: 'since' })
      await hypervisor.applySoldConfig(vm, sold)
      expect(await values()).toMatchObject({ ...change, description: vm.marker, parent: SNAPSHOT })
    })

    it('keeps the disk it needs while another system takes its place, and gives it up', async () => {
      const old = (await hypervisor.bootDisk(vm)).volume
      const template = { vmId: target.template }
      await expect(hypervisor.replaceDisk(vm, { template, old })).rejects.toThrow(SNAPSHOT)
      const order = { template, old, snapshots: [SNAPSHOT] }
      const { volume } = await hypervisor.replaceDisk(vm, order)
      await hypervisor.dropReplacedDisks(vm, { keep: volume })
      await hypervisor.dropSpareDisk(vm, old)
      expect((await hypervisor.bootDisk(vm)).spare).toEqual([old])
      await hypervisor.rollBackTo(vm, SNAPSHOT)
      expect(await hypervisor.bootDisk(vm)).toMatchObject({ volume: old, spare: [volume] })
      await hypervisor.dropSpareDisk(vm, volume)
      expect((await hypervisor.bootDisk(vm)).spare).toEqual([])
    })

    it('has the very bytes of its time, on its own disk and behind another system', async ({
      skip,
    }) => {
      const { fileOf } = target
      if (!fileOf || !hasQemuTools) return skip('no files of disks, or no qemu-io, on this machine')
      const old = (await hypervisor.bootDisk(vm)).volume
      await hypervisor.deleteSnapshot(vm, SNAPSHOT)
      await writePattern(fileOf(old), 0xa5)
      const kept = await digestOf(fileOf(old))
      await take()
      await writePattern(fileOf(old), 0x5a)
      expect(await digestOf(fileOf(old))).not.toBe(kept)
      await hypervisor.rollBackTo(vm, SNAPSHOT)
      expect(await digestOf(fileOf(old))).toBe(kept)

      const order = { template: { vmId: target.template }, old, snapshots: [SNAPSHOT] }
      const { volume } = await hypervisor.replaceDisk(vm, order)
      await writePattern(fileOf(volume), 0x33)
      await writePattern(fileOf(old), 0x5a)
      await hypervisor.rollBackTo(vm, SNAPSHOT)
      expect((await hypervisor.bootDisk(vm)).volume).toBe(old)
      expect(await digestOf(fileOf(old))).toBe(kept)
      await hypervisor.dropSpareDisk(vm, volume)
    })

    it('that is gone is not gone back to, and deleted without an error', async () => {
      await hypervisor.deleteSnapshot(vm, SNAPSHOT)
      await hypervisor.deleteSnapshot(vm, SNAPSHOT)
      await expect(hypervisor.rollBackTo(vm, SNAPSHOT)).rejects.toMatchObject({
        code: 'INVALID_STATE',
        message: 'The cluster no longer has this snapshot.',
      })
      expect((await hypervisor.snapshots(vm)).snapshots).toEqual([])
    })
  })

  describe('a disk', () => {
    const expectNothingPending = async () => {
      const waiting = (await client.qemu.pending(place)).filter(
        (entry) => entry.pending !== undefined || entry.delete,
      )
      expect(waiting).toEqual([])
    }

    it('comes together with the kind of its system, and goes back together with it', async () => {
      const { volume: old, system } = await hypervisor.bootDisk(vm)
      const { ostype } = system
      // As if the old system were of another kind than the template's.
      const other = { ostype: ostype === 'l26' ? 'win10' : 'l26', machine: 'q35' }
      await done(client.qemu.setConfig(place, { set: other }))
      const order = { template: { vmId: target.template }, old }
      const { volume } = await hypervisor.replaceDisk(vm, order)
      expect(await hypervisor.bootDisk(vm)).toMatchObject({
        ...{ volume, spare: [old] },
        system: { ostype },
      })
      await expectNothingPending()

      await done(client.qemu.start(place))
      const back = () => hypervisor.restoreDisk(vm, old, { system })
      await expect(back()).rejects.toThrow('The VM is running')
      expect(await hypervisor.bootDisk(vm)).toMatchObject({ volume, spare: [old] })
      await done(client.qemu.stop(place))
      await hypervisor.restoreDisk(vm, old, { system: other })
      expect(await hypervisor.bootDisk(vm)).toMatchObject({ volume: old, system: other, spare: [] })
      await back()
      await back()
      expect(await hypervisor.bootDisk(vm)).toMatchObject({ volume: old, system, spare: [] })
      await expectNothingPending()
    })

    it('and the kind of its system stay as they are where the configuration has changed', async () => {
      const before = await hypervisor.bootDisk(vm)
      const { digest } = await client.qemu.config(place)
      await done(client.qemu.setConfig(place, { set: { tags: 'meanwhile' } }))
      const set = { [before.slot]: `${before.volume},discard=on`, ostype: 'other' }
      const late = done(client.qemu.setConfig(place, { set, digest }))
      expect(await failureOf(late)).toEqual({ kind: 'changed-meanwhile' })
      expect(await hypervisor.bootDisk(vm)).toEqual(before)
    })
  })
}
