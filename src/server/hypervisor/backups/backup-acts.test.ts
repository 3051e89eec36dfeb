import { afterEach, describe, expect, it } from 'vitest'
import type { SimOptions } from '#pve-sim/options.ts'
import type { Sim } from '#pve-sim/sim.ts'
import type { Hypervisor, VmAddress } from '../port/hypervisor.ts'
import { proxmoxHypervisor } from '../proxmox/proxmox-hypervisor.ts'
import { interrupted } from '../testing/interrupted.ts'
import { connectionTo, impatient, startCluster } from '../testing/sim-cluster.ts'
import { ownVm } from '../testing/sim-vm.ts'

const KEY = 'hb-0123456789abcdef'
const DISK = 'local-lvm:vm-103-disk-0'
const REF = { storage: 'local', volume: null, key: KEY }

let sim: Sim
let hypervisor: Hypervisor
let vm: ReturnType<typeof ownVm>['vm']
let address: VmAddress

const connect = () => proxmoxHypervisor(connectionTo(sim), impatient)

async function open(options: SimOptions = {}): Promise<void> {
  sim = await startCluster(options)
  ;({ vm, address } = ownVm(sim, 103, 'hushbox:order-7'))
  hypervisor = connect()
}
afterEach(async () => {
  await hypervisor.close()
  await sim.close()
})

const take = async () => {
  await hypervisor.takeBackup(address, { storage: 'local', key: KEY, name: 'My {{server}}\nx' })
}
const archives = () => [...sim.state.volumes.values()].filter(({ content }) => content === 'backup')

const dying = (act: () => Promise<void>, afterRequests: number) =>
  interrupted(sim, {
    act,
    afterRequests,
    close: () => hypervisor.close(),
    reconnect: () => {
      hypervisor = connect()
    },
  })

describe.each(['7.4', '8.4', '9.1'] as const)('on PVE %s a process that dies', (version) => {
  it('at any moment of a backup leaves one archive, which the next run finds', async () => {
    await open({ version })
    let isCut = true
    for (let requests = 1; isCut; requests += 1) {
      isCut = await dying(take, requests)
      await take()
      expect(archives().map(({ archive }) => archive?.notes)).toEqual([`${KEY} My server x`])
      await hypervisor.deleteBackup(address, REF)
      expect(archives()).toEqual([])
    }
  })

  it('at any moment of a restore leaves the data of the archive, after the next run', async () => {
    await open({ version })
    vm.guest.os = 'before'
    await take()
    const sold = await hypervisor.soldConfig(address)
    const restore = () => hypervisor.restoreBackup(address, { archive: REF, sold })
    let isCut = true
    for (let requests = 1; isCut; requests += 1) {
      vm.guest.os = 'after'
      isCut = await dying(restore, requests)
      await restore()
      expect([vm.guest.os, vm.config.lock]).toEqual(['before', undefined])
    }
    expect(sim.state.orphans()).toEqual([])
  })
})

describe('a backup', () => {
  it('counts only if the storage lists it', async () => {
    await open()
    // The task says OK; another administrator deletes the archive before we look.
    sim.state.volumes.set = () => sim.state.volumes
    await expect(take()).rejects.toMatchObject({
      message: 'The cluster reports a backup, but local has none. Ask the operator.',
    })
  })

  it('is made on the node that the VM has moved to', async () => {
    await open()
    sim.state.storages.set('nfs', {
      id: 'nfs',
      type: 'nfs',
      content: ['backup'],
      shared: true,
      total: 10 ** 12,
      base: 0,
    })
    sim.state.moveVm(103, 'pve2')
    const made = await hypervisor.takeBackup(address, { storage: 'nfs', key: KEY, name: 'x' })
    expect(made).toMatchObject({ key: KEY, volume: expect.stringContaining('nfs:backup/') })
  })

  it('says why there is none: the reason is in the log of the task only', async () => {
    await open()
    sim.faults.add({ kind: 'task-error', path: /vzdump/, message: 'No space left on device' })
    await expect(take()).rejects.toMatchObject({
      code: 'INVALID_STATE',
      publicMessage: 'The storage for backups is full. Ask the operator to make room.',
    })
  })

  it('that breaks off with the VM locked says who unlocks it', async () => {
    await open()
    sim.faults.add({ kind: 'worker-dies', path: /vzdump/, count: 1 })
    await expect(take()).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining('qm unlock 103'),
    })
  })

  it('of another VM with our id is not made', async () => {
    await open()
    vm.config.description = 'of someone else'
    await expect(take()).rejects.toMatchObject({ code: 'VM_MISSING' })
  })

  it('is protected, and then deleted by nobody', async () => {
    await open()
    await take()
    await hypervisor.protectBackup(address, REF, true)
    expect(await hypervisor.archives(address, 'local')).toMatchObject([{ isProtected: true }])
    await expect(hypervisor.deleteBackup(address, REF)).rejects.toMatchObject({
      publicMessage: 'This backup is protected in Proxmox. Ask the operator to end that.',
    })
    await hypervisor.protectBackup(address, REF, false)
    await hypervisor.deleteBackup(address, REF)
    expect(archives()).toEqual([])
  })

  it('can go to the storages that take backups', async () => {
    await open()
    expect(await hypervisor.backupStorages()).toMatchObject([{ storage: 'local', type: 'dir' }])
  })
})

describe('a restore', () => {
  it('has what is sold now at once, not what was sold then', async () => {
    await open()
    await take()
    vm.config.net0 = 'virtio=BC:24:11:AA:BB:CC,bridge=vmbr0,firewall=1,rate=5'
    vm.config.cores = '7'
    const sold = await hypervisor.soldConfig(address)
    await hypervisor.restoreBackup(address, { archive: REF, sold })
    expect(vm.config).toMatchObject({ cores: '7', net0: sold.values.net0 })
  })

  it('deletes nothing if the archive is gone', async () => {
    await open()
    const sold = await hypervisor.soldConfig(address)
    const before = structuredClone(vm.config)
    await expect(hypervisor.restoreBackup(address, { archive: REF, sold })).rejects.toMatchObject({
      message: 'The cluster no longer has this backup.',
    })
    expect(vm.config).toEqual(before)
    expect(sim.state.volumes.has(DISK)).toBe(true)
  })

  it('that breaks off says that the data is gone, can be repeated, and the VM is ours again', async () => {
    await open()
    await take()
    const sold = await hypervisor.soldConfig(address)
    sim.faults.add({
      kind: 'task-error',
      path: /qemu$/,
      method: 'POST',
      message: 'broken',
      count: 1,
    })
    await expect(hypervisor.restoreBackup(address, { archive: REF, sold })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('no data now'),
    })
    await expect(hypervisor.vm(address)).resolves.toBeDefined()
    await expect(hypervisor.soldConfig(address)).rejects.toMatchObject({ code: 'VM_MISSING' })
    expect(await hypervisor.takeBackEmptied(address, sold)).toEqual({ hasDisk: false })
    expect(await hypervisor.soldConfig(address)).toEqual(sold)
    await hypervisor.restoreBackup(address, { archive: REF, sold })
    expect(await hypervisor.takeBackEmptied(address, sold)).toEqual({ hasDisk: true })
  })

  it('never takes a VM for ours that is another one', async () => {
    await open()
    await take()
    const sold = await hypervisor.soldConfig(address)
    vm.config.description = 'of someone else'
    const before = structuredClone(vm.config)
    const missing = { code: 'VM_MISSING' }
    const order = { archive: REF, sold }
    await expect(hypervisor.restoreBackup(address, order)).rejects.toMatchObject(missing)
    await expect(hypervisor.takeBackEmptied(address, sold)).rejects.toMatchObject(missing)
    expect(vm.config).toEqual(before)
  })
})
