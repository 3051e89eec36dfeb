import { describe, expect, it } from 'vitest'
import type { Hypervisor } from '../port/hypervisor.ts'
import { ownVmCluster } from '../testing/own-vm-cluster.ts'

const NAME = 'hb-0123456789abcdef'
const OLD = 'local-lvm:vm-103-disk-0'

const our = ownVmCluster()

const take = async () => {
  await our.hypervisor.takeSnapshot(our.address, { name: NAME, description: 'mine' })
}
const names = () => (our.vm.snapshots ?? []).map(({ name }) => name)

/** Goes back, and makes what is sold hold again. */
async function goBack(): Promise<void> {
  const sold = await our.hypervisor.soldConfig(our.address)
  await goBackWith(sold)
}

async function goBackWith(sold: Awaited<ReturnType<Hypervisor['soldConfig']>>): Promise<void> {
  await our.hypervisor.rollBackTo(our.address, NAME)
  await our.hypervisor.applySoldConfig(our.address, sold)
}

describe.each(['7.4', '8.4', '9.1'] as const)('on PVE %s a process that dies', (version) => {
  it('at any moment of a snapshot leaves one that the next run finishes', async () => {
    await our.open({ version })
    let isCut = true
    for (let requests = 1; isCut; requests += 1) {
      isCut = await our.dying(take, requests)
      await take()
      expect(names()).toEqual([NAME])
      expect(our.vm.config.lock).toBeUndefined()
      const deletion = () => our.hypervisor.deleteSnapshot(our.address, NAME)
      await our.dying(deletion, requests)
      await deletion()
      expect(names()).toEqual([])
    }
  })

  it('at any moment of a rollback leaves what the next run brings back', async () => {
    await our.open({ version })
    our.vm.guest.os = 'before'
    await take()
    let isCut = true
    for (let requests = 1; isCut; requests += 1) {
      Object.assign(our.vm.config, { cores: '3', memory: '3072', tags: 'now', cpulimit: '2' })
      our.vm.guest.os = 'after'
      const sold = await our.hypervisor.soldConfig(our.address)
      isCut = await our.dying(() => goBackWith(sold), requests)
      await goBackWith(sold)
      expect(our.vm.guest.os).toBe('before')
      expect(our.vm.config).toMatchObject({
        cores: '3',
        memory: '3072',
        tags: 'now',
        cpulimit: '2',
      })
      expect(our.vm.config.lock).toBeUndefined()
    }
  })
})

describe('a snapshot', () => {
  it('is told with the room of its storage', async () => {
    await our.open()
    const { room, onlyNewest, volume } = await our.hypervisor.snapshots(our.address)
    expect({ storage: room?.storage, onlyNewest, volume }).toEqual({
      storage: 'local-lvm',
      onlyNewest: false,
      volume: OLD,
    })
  })

  const UNLOCK = {
    code: 'LOCKED',
    message:
      'Work on a snapshot broke off on the cluster and has left VM 103 locked. On its node run: qm unlock 103',
  }
  /** The worker is killed, as by a node that restarts; then root unlocks the VM. */
  const brokenOff = async (act: () => Promise<unknown>, method: string) => {
    our.sim.faults.add({ kind: 'worker-dies', path: 'snapshot', method, count: 1 })
    await expect(act()).rejects.toMatchObject({ code: 'CLUSTER_UNAVAILABLE' })
    await expect(act()).rejects.toMatchObject(UNLOCK)
    delete our.vm.config.lock
  }

  it('whose worker died is made anew once the VM is unlocked', async () => {
    await our.open()
    await brokenOff(take, 'POST')
    await take()
    expect(our.vm.snapshots).toHaveLength(1)
    expect(our.vm.snapshots?.[0]).not.toHaveProperty('snapstate')
  })

  it('whose deletion broke off is deleted once the VM is unlocked', async () => {
    await our.open()
    await take()
    const drop = () => our.hypervisor.deleteSnapshot(our.address, NAME)
    await brokenOff(drop, 'DELETE')
    await drop()
    expect(names()).toEqual([])
  })

  it('to which a rollback broke off is gone back to once the VM is unlocked', async () => {
    await our.open()
    our.vm.guest.os = 'before'
    await take()
    our.vm.guest.os = 'after'
    await brokenOff(() => our.hypervisor.rollBackTo(our.address, NAME), 'POST')
    expect(our.vm.guest.os).toBe('after')
    await goBack()
    expect(our.vm.guest.os).toBe('before')
  })

  it('is not said to be left where the VM is busy with another task', async () => {
    await our.open()
    await take()
    our.vm.config.lock = 'backup'
    await expect(our.hypervisor.rollBackTo(our.address, NAME)).rejects.toMatchObject({
      code: 'LOCKED',
      message: 'The VM is busy with another task.',
    })
  })

  it('of a storage that takes none is refused in words for its client', async () => {
    await our.open()
    const store = our.sim.state.storages.get('local-lvm')
    if (store) store.type = 'dir'
    await expect(take()).rejects.toMatchObject({
      code: 'INVALID_STATE',
      publicMessage: 'The storage of this server cannot take snapshots. Ask the operator.',
    })
  })

  it('keeps the disk it needs, and gives it up afterwards', async () => {
    await our.open()
    await take()
    const template = { vmId: 9004 }
    await expect(our.hypervisor.replaceDisk(our.address, { template, old: OLD })).rejects.toThrow(
      `The VM has snapshots, which need its disk: remove them first (${NAME}).`,
    )
    const order = { template, old: OLD, snapshots: [NAME] }
    const { volume } = await our.hypervisor.replaceDisk(our.address, order)
    await our.hypervisor.dropReplacedDisks(our.address, { keep: volume })
    await our.hypervisor.dropSpareDisk(our.address, OLD)
    expect(our.sim.state.volumes.has(OLD)).toBe(true)
    await goBack()
    expect(our.vm.config.scsi0).toContain(OLD)
    await our.hypervisor.dropSpareDisk(our.address, volume)
    expect(our.sim.state.volumes.has(volume)).toBe(false)
    // The disk in use is never removed.
    await our.hypervisor.deleteSnapshot(our.address, NAME)
    await our.hypervisor.dropSpareDisk(our.address, OLD)
    expect(our.sim.state.volumes.has(OLD)).toBe(true)
  })
})
