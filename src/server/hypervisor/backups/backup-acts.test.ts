import { describe, expect, it } from 'vitest'
import { ownVmCluster } from '../testing/own-vm-cluster.ts'

const KEY = 'hb-0123456789abcdef'
const DISK = 'local-lvm:vm-103-disk-0'
const REF = { storage: 'local', volume: null, key: KEY }

const our = ownVmCluster()

const take = async () => {
  await our.hypervisor.takeBackup(our.address, {
    storage: 'local',
    key: KEY,
    name: 'My {{server}}\nx',
  })
}
const archives = () =>
  [...our.sim.state.volumes.values()].filter(({ content }) => content === 'backup')

describe.each(['7.4', '8.4', '9.1'] as const)('on PVE %s a process that dies', (version) => {
  it('at any moment of a backup leaves one archive, which the next run finds', async () => {
    await our.open({ version })
    let isCut = true
    for (let requests = 1; isCut; requests += 1) {
      isCut = await our.dying(take, requests)
      await take()
      expect(archives().map(({ archive }) => archive?.notes)).toEqual([`${KEY} My server x`])
      await our.hypervisor.deleteBackup(our.address, REF)
      expect(archives()).toEqual([])
    }
  })

  it('at any moment of a restore leaves the data of the archive, after the next run', async () => {
    await our.open({ version })
    our.vm.guest.os = 'before'
    await take()
    const sold = await our.hypervisor.soldConfig(our.address)
    const restore = () => our.hypervisor.restoreBackup(our.address, { archive: REF, sold })
    let isCut = true
    for (let requests = 1; isCut; requests += 1) {
      our.vm.guest.os = 'after'
      isCut = await our.dying(restore, requests)
      await restore()
      expect([our.vm.guest.os, our.vm.config.lock]).toEqual(['before', undefined])
    }
    expect(our.sim.state.orphans()).toEqual([])
  })
})

describe('a backup', () => {
  it('counts only if the storage lists it', async () => {
    await our.open()
    // The task says OK; another administrator deletes the archive before we look.
    our.sim.state.volumes.set = () => our.sim.state.volumes
    await expect(take()).rejects.toMatchObject({
      message: 'The cluster reports a backup, but local has none. Ask the operator.',
    })
  })

  it('is made on the node that the VM has moved to', async () => {
    await our.open()
    our.sim.state.storages.set('nfs', {
      id: 'nfs',
      type: 'nfs',
      content: ['backup'],
      shared: true,
      total: 10 ** 12,
      base: 0,
    })
    our.sim.state.moveVm(103, 'pve2')
    const made = await our.hypervisor.takeBackup(our.address, {
      storage: 'nfs',
      key: KEY,
      name: 'x',
    })
    expect(made).toMatchObject({ key: KEY, volume: expect.stringContaining('nfs:backup/') })
  })

  it('says why there is none: the reason is in the log of the task only', async () => {
    await our.open()
    our.sim.faults.add({ kind: 'task-error', path: /vzdump/, message: 'No space left on device' })
    await expect(take()).rejects.toMatchObject({
      code: 'INVALID_STATE',
      publicMessage: 'The storage for backups is full. Ask the operator to make room.',
    })
  })

  it('that breaks off with the VM locked says who unlocks it', async () => {
    await our.open()
    our.sim.faults.add({ kind: 'worker-dies', path: /vzdump/, count: 1 })
    await expect(take()).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining('qm unlock 103'),
    })
  })

  it('of another VM with our id is not made', async () => {
    await our.open()
    our.vm.config.description = 'of someone else'
    await expect(take()).rejects.toMatchObject({ code: 'VM_MISSING' })
  })

  it('is protected, and then deleted by nobody', async () => {
    await our.open()
    await take()
    await our.hypervisor.protectBackup(our.address, REF, true)
    expect(await our.hypervisor.archives(our.address, 'local')).toMatchObject([
      { isProtected: true },
    ])
    await expect(our.hypervisor.deleteBackup(our.address, REF)).rejects.toMatchObject({
      publicMessage: 'This backup is protected in Proxmox. Ask the operator to end that.',
    })
    await our.hypervisor.protectBackup(our.address, REF, false)
    await our.hypervisor.deleteBackup(our.address, REF)
    expect(archives()).toEqual([])
  })

  it('can go to the storages that take backups', async () => {
    await our.open()
    expect(await our.hypervisor.backupStorages()).toMatchObject([{ storage: 'local', type: 'dir' }])
  })
})

describe('a restore', () => {
  it('has what is sold now at once, not what was sold then', async () => {
    await our.open()
    await take()
    our.vm.config.net0 = 'virtio=BC:24:11:AA:BB:CC,bridge=vmbr0,firewall=1,rate=5'
    our.vm.config.cores = '7'
    const sold = await our.hypervisor.soldConfig(our.address)
    await our.hypervisor.restoreBackup(our.address, { archive: REF, sold })
    expect(our.vm.config).toMatchObject({ cores: '7', net0: sold.values.net0 })
  })

  it('deletes nothing if the archive is gone', async () => {
    await our.open()
    const sold = await our.hypervisor.soldConfig(our.address)
    const before = structuredClone(our.vm.config)
    await expect(
      our.hypervisor.restoreBackup(our.address, { archive: REF, sold }),
    ).rejects.toMatchObject({
      message: 'The cluster no longer has this backup.',
    })
    expect(our.vm.config).toEqual(before)
    expect(our.sim.state.volumes.has(DISK)).toBe(true)
  })

  it('that breaks off says that the data is gone, can be repeated, and the VM is ours again', async () => {
    await our.open()
    await take()
    const sold = await our.hypervisor.soldConfig(our.address)
    our.sim.faults.add({
      kind: 'task-error',
      path: /qemu$/,
      method: 'POST',
      message: 'broken',
      count: 1,
    })
    await expect(
      our.hypervisor.restoreBackup(our.address, { archive: REF, sold }),
    ).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('no data now'),
    })
    await expect(our.hypervisor.vm(our.address)).resolves.toBeDefined()
    await expect(our.hypervisor.soldConfig(our.address)).rejects.toMatchObject({
      code: 'VM_MISSING',
    })
    expect(await our.hypervisor.takeBackEmptied(our.address, sold)).toEqual({ hasDisk: false })
    expect(await our.hypervisor.soldConfig(our.address)).toEqual(sold)
    await our.hypervisor.restoreBackup(our.address, { archive: REF, sold })
    expect(await our.hypervisor.takeBackEmptied(our.address, sold)).toEqual({ hasDisk: true })
  })

  it('never takes a VM for ours that is another one', async () => {
    await our.open()
    await take()
    const sold = await our.hypervisor.soldConfig(our.address)
    our.vm.config.description = 'of someone else'
    const before = structuredClone(our.vm.config)
    const missing = { code: 'VM_MISSING' }
    const order = { archive: REF, sold }
    await expect(our.hypervisor.restoreBackup(our.address, order)).rejects.toMatchObject(missing)
    await expect(our.hypervisor.takeBackEmptied(our.address, sold)).rejects.toMatchObject(missing)
    expect(our.vm.config).toEqual(before)
  })
})
