import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Sim } from '#pve-sim/sim.ts'
import type { Hypervisor, VmAddress } from '../port/hypervisor.ts'
import { proxmoxHypervisor } from '../proxmox/proxmox-hypervisor.ts'
import { connectionTo, impatient, startCluster } from '../testing/sim-cluster.ts'
import { ownVm } from '../testing/sim-vm.ts'

const MARKER = 'hushbox:order-7'
const OLD = 'local-lvm:vm-103-disk-0'
const NEW = 'local-lvm:vm-103-disk-1'
const order = { template: { vmId: 9004 }, old: OLD }

let sim: Sim
let hypervisor: Hypervisor
let vm: ReturnType<typeof ownVm>['vm']
let address: VmAddress

async function open(version: '7.4' | '8.4' | '9.1' = '9.1'): Promise<void> {
  sim = await startCluster({ version })
  ;({ vm, address } = ownVm(sim, 103, MARKER))
  // With exactly the rights that the operator guide names.
  const secret = '00000000-0000-4000-8000-000000000000'
  hypervisor = proxmoxHypervisor(connectionTo(sim, { username: 'vps@pve!app', secret }), impatient)
}
afterEach(async () => {
  await hypervisor.close()
  await sim.close()
})

const volumes = () =>
  [...sim.state.volumes.values()]
    .filter(({ vmid, volid }) => vmid === 103 && !volid.includes('cloudinit'))
    .map(({ volid }) => volid)
const writes = () => sim.requests.filter(({ method }) => method !== 'GET').length
const slotOf = () => vm.config.scsi0?.split(',')[0]

describe.each(['7.4', '8.4', '9.1'] as const)('a VM on Proxmox VE %s', (version) => {
  beforeEach(() => open(version))

  it('gets the disk of a template, keeps its own aside, and loses it when told so', async () => {
    vm.config.scsi0 = `${OLD},cache=writeback,discard=on,iops_rd=500,iothread=1,size=20G,ssd=1`
    const identity = { net0: vm.config.net0, smbios1: vm.config.smbios1, ide2: vm.config.ide2 }
    expect(await hypervisor.bootDisk(address)).toEqual({
      slot: 'scsi0',
      volume: OLD,
      sizeGb: 20,
      system: { ostype: 'l26', machine: '' },
      spare: [],
    })
    const tasks: string[] = []
    const progress: number[] = []
    const options = {
      onTask: (task: string) => void tasks.push(task),
      onProgress: (fraction: number) => void progress.push(fraction),
    }
    expect(await hypervisor.replaceDisk(address, order, options)).toEqual({ volume: NEW })
    expect(tasks[0]).toContain(':qmconfig:103:')
    expect(progress.at(-1)).toBe(1)
    expect(vm.config.scsi0).toBe(
      `${NEW},cache=writeback,discard=on,iops_rd=500,iothread=1,size=8G,ssd=1`,
    )
    expect(vm.config).toMatchObject({ ...identity, unused0: OLD })
    expect(sim.state.pools.get('vps')?.vms).toContain(103)
    await hypervisor.resize(address, 20)
    await hypervisor.power(address, 'start')
    await hypervisor.dropReplacedDisks(address, { keep: NEW })
    expect(volumes()).toEqual([NEW])
    expect(vm.config).toMatchObject({ ...identity, scsi0: expect.stringContaining('size=20G') })
    expect(sim.state.orphans()).toEqual([])
  })

  it('gets its old disk back, with its options, and the new one is removed', async () => {
    vm.config.scsi0 = `${OLD},discard=on,mbps_wr=40,size=20G`
    await hypervisor.replaceDisk(address, { ...order, storage: 'ceph-vm' })
    expect(slotOf()).toBe('ceph-vm:vm-103-disk-0')
    await hypervisor.restoreDisk(address, OLD)
    expect(vm.config.scsi0).toBe(`${OLD},discard=on,mbps_wr=40,size=20G`)
    expect(volumes()).toEqual([OLD])
  })

  it('is acted on once, however often it is asked for', async () => {
    await hypervisor.replaceDisk(address, order)
    const replaced = writes()
    expect(await hypervisor.replaceDisk(address, order)).toEqual({ volume: NEW })
    await hypervisor.power(address, 'start')
    expect(await hypervisor.replaceDisk(address, order)).toEqual({ volume: NEW })
    expect(writes()).toBe(replaced + 1)
    await hypervisor.dropReplacedDisks(address, { keep: NEW })
    await hypervisor.dropReplacedDisks(address, { keep: NEW })
    expect(writes()).toBe(replaced + 2)
    expect(await hypervisor.replaceDisk(address, order)).toEqual({ volume: NEW })
    expect(volumes()).toEqual([NEW])
  })

  it('is prepared for its new user, without what the last one had', async () => {
    const setup = { name: 'shop', marker: MARKER }
    const keys = [`ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)} me@home`]
    await hypervisor.prepare(address, {
      ...setup,
      user: { name: 'alice', password: 'correct horse', sshKeys: keys },
    })
    expect(vm.config).toMatchObject({ ciuser: 'alice', cipassword: expect.any(String) })
    await hypervisor.prepare(address, { ...setup, user: { name: 'bob', sshKeys: keys } })
    expect(vm.config).toMatchObject({ ciuser: 'bob', sshkeys: expect.any(String) })
    expect(vm.config.cipassword).toBeUndefined()
    await hypervisor.prepare(address, { ...setup, user: { name: 'bob', password: 'battery' } })
    expect(vm.config.sshkeys).toBeUndefined()
    await hypervisor.prepare(address, setup)
    expect(vm.config.cipassword).toBeDefined()
  })
})

describe('a disk is not replaced', () => {
  beforeEach(() => open())

  const refused = async (message: string, code = 'INVALID_STATE') => {
    const before = writes()
    await expect(hypervisor.replaceDisk(address, order)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    })
    expect([writes(), slotOf(), volumes()]).toEqual([before, OLD, [OLD]])
  }

  it('while the VM runs or hibernates', async () => {
    await hypervisor.power(address, 'start')
    await refused('stop it first')
    await hypervisor.power(address, 'stop')
    vm.config.lock = 'suspended'
    await refused('hibernated')
  })

  it('if the old one could not be removed later', async () => {
    vm.config.protection = '1'
    await refused('protected')
    delete vm.config.protection
    vm.snapshots = [{ name: 'before', snaptime: 0, description: '', config: { ...vm.config } }]
    await refused('remove them first (before)')
  })

  it('if the template is on another node, is none, is gone, or starts in another way', async () => {
    const template = sim.state.vms.get(9004)
    if (!template) throw new Error('no template')
    sim.state.moveVm(9004, 'pve2')
    await refused('Template 9004 is on node pve2 and the VM on pve1')
    sim.state.moveVm(9004, 'pve1')
    template.config.bios = 'ovmf'
    await refused('starts with ovmf, the VM with seabios')
    delete template.config.template
    await refused('is not a template')
    sim.state.vms.delete(9004)
    await refused('no longer has template 9004', 'NOT_FOUND')
  })

  it('if the account may not clone the template, or has no space', async () => {
    sim.state.addRole('VpsTemplates', ['VM.Audit'])
    const lacks = (what: string) =>
      expect(hypervisor.replaceDisk(address, order)).rejects.toMatchObject({
        code: 'CLUSTER_REFUSED',
        message: expect.stringContaining(what),
      })
    await lacks('it lacks VM.Clone on /vms/9004')
    sim.state.addRole('VpsTemplates', ['VM.Audit', 'VM.Clone'])
    sim.state.addRole('VpsStore', ['Datastore.Audit'])
    await lacks('it lacks Datastore.AllocateSpace on /storage/local-lvm')
    expect([slotOf(), volumes()]).toEqual([OLD, [OLD]])
  })

  it('in a VM that is not ours', async () => {
    const stranger = { vmId: 103, marker: 'hushbox:order-8' }
    for (const act of [
      () => hypervisor.bootDisk(stranger),
      () => hypervisor.replaceDisk(stranger, order),
      () => hypervisor.restoreDisk(stranger, OLD),
      () => hypervisor.dropReplacedDisks(stranger, { keep: OLD }),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: 'VM_MISSING' })
    }
    expect(writes()).toBe(0)
  })

  it('and the failure of its copy leaves nothing behind', async () => {
    const message = "cannot import from 'x' - cfs-lock 'storage-local-lvm' error: got lock timeout"
    sim.faults.add({ kind: 'task-error', method: 'POST', count: 1, message })
    await expect(hypervisor.replaceDisk(address, order)).rejects.toMatchObject({
      code: 'LOCKED',
      message: 'The storage is busy.',
    })
    expect([slotOf(), volumes()]).toEqual([OLD, [OLD]])
    expect(await hypervisor.replaceDisk(address, order)).toEqual({ volume: NEW })
  })
})

describe('a disk is not removed', () => {
  beforeEach(() => open())

  it('if it was spare before the disk was replaced', async () => {
    sim.state.volumes.set('local-lvm:vm-103-disk-5', {
      ...{ volid: 'local-lvm:vm-103-disk-5', storage: 'local-lvm', node: 'pve1', vmid: 103 },
      ...{ content: 'images', format: 'raw', size: 1024 ** 3, ctime: 0 },
    })
    vm.config.unused0 = 'local-lvm:vm-103-disk-5'
    const { spare } = await hypervisor.bootDisk(address)
    expect(spare).toEqual(['local-lvm:vm-103-disk-5'])
    await hypervisor.replaceDisk(address, order)
    await hypervisor.restoreDisk(address, OLD, { spare })
    await hypervisor.replaceDisk(address, order)
    await hypervisor.dropReplacedDisks(address, { keep: NEW, spare })
    expect(volumes().sort()).toEqual([NEW, 'local-lvm:vm-103-disk-5'])
  })

  it('while the VM boots from another one than the new', async () => {
    await hypervisor.replaceDisk(address, order)
    const early = hypervisor.dropReplacedDisks(address, { keep: OLD })
    await expect(early).rejects.toMatchObject({ code: 'INVALID_STATE' })
    expect(volumes().sort()).toEqual([OLD, NEW])
  })

  it('if another VM owns it, or it is attached elsewhere', async () => {
    await hypervisor.replaceDisk(address, order)
    vm.config.unused1 = 'local-lvm:vm-104-disk-0'
    vm.config.unused2 = OLD
    delete vm.config.unused0
    vm.config.scsi1 = OLD
    await hypervisor.dropReplacedDisks(address, { keep: NEW })
    expect(volumes().sort()).toEqual([OLD, NEW])
    expect(sim.state.volumes.has('local-lvm:vm-104-disk-0')).toBe(true)
  })

  it('and not put back, once it is gone', async () => {
    await hypervisor.replaceDisk(address, order)
    await hypervisor.dropReplacedDisks(address, { keep: NEW })
    const late = hypervisor.restoreDisk(address, OLD)
    await expect(late).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'The old disk is gone, and nothing was changed.',
    })
    expect([slotOf(), volumes()]).toEqual([NEW, [NEW]])
  })

  it('without the privilege, which the cluster names in its task', async () => {
    await hypervisor.replaceDisk(address, order)
    sim.state.addRole('VpsStore', ['Datastore.Audit'])
    await expect(hypervisor.dropReplacedDisks(address, { keep: NEW })).rejects.toMatchObject({
      code: 'CLUSTER_REFUSED',
      message: expect.stringContaining('lacks Datastore.AllocateSpace on /storage/local-lvm'),
    })
  })

  it('from a VM that was protected meanwhile', async () => {
    await hypervisor.replaceDisk(address, order)
    vm.config.protection = '1'
    await expect(hypervisor.dropReplacedDisks(address, { keep: NEW })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('protected'),
    })
  })
})
