import { afterEach, describe, expect, it } from 'vitest'
import type { SimOptions } from '#pve-sim/options.ts'
import type { Sim } from '#pve-sim/sim.ts'
import type { Hypervisor, VmAddress } from '../port/hypervisor.ts'
import { proxmoxHypervisor } from '../proxmox/proxmox-hypervisor.ts'
import { interrupted } from '../testing/interrupted.ts'
import { connectionTo, impatient, startCluster } from '../testing/sim-cluster.ts'
import { ownVm } from '../testing/sim-vm.ts'

const NAME = 'hb-0123456789abcdef'
const OLD = 'local-lvm:vm-103-disk-0'

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
  await hypervisor.takeSnapshot(address, { name: NAME, description: 'mine' })
}
const names = () => (vm.snapshots ?? []).map(({ name }) => name)

const dying = (act: () => Promise<void>, afterRequests: number) =>
  interrupted(sim, {
    act,
    afterRequests,
    close: () => hypervisor.close(),
    reconnect: () => {
      hypervisor = connect()
    },
  })

/** Goes back, and makes what is sold hold again. */
async function goBack(): Promise<void> {
  const sold = await hypervisor.soldConfig(address)
  await goBackWith(sold)
}

async function goBackWith(sold: Awaited<ReturnType<Hypervisor['soldConfig']>>): Promise<void> {
  await hypervisor.rollBackTo(address, NAME)
  await hypervisor.applySoldConfig(address, sold)
}

describe.each(['7.4', '8.4', '9.1'] as const)('on PVE %s a process that dies', (version) => {
  it('at any moment of a snapshot leaves one that the next run finishes', async () => {
    await open({ version })
    let isCut = true
    for (let requests = 1; isCut; requests += 1) {
      isCut = await dying(take, requests)
      await take()
      expect(names()).toEqual([NAME])
      expect(vm.config.lock).toBeUndefined()
      const deletion = () => hypervisor.deleteSnapshot(address, NAME)
      await dying(deletion, requests)
      await deletion()
      expect(names()).toEqual([])
    }
  })

  it('at any moment of a rollback leaves what the next run brings back', async () => {
    await open({ version })
    vm.guest.os = 'before'
    await take()
    let isCut = true
    for (let requests = 1; isCut; requests += 1) {
      Object.assign(vm.config, { cores: '3', memory: '3072', tags: 'now', cpulimit: '2' })
      vm.guest.os = 'after'
      const sold = await hypervisor.soldConfig(address)
      isCut = await dying(() => goBackWith(sold), requests)
      await goBackWith(sold)
      expect(vm.guest.os).toBe('before')
      expect(vm.config).toMatchObject({ cores: '3', memory: '3072', tags: 'now', cpulimit: '2' })
      expect(vm.config.lock).toBeUndefined()
    }
  })
})

describe('a snapshot', () => {
  it('is told with the room of its storage', async () => {
    await open()
    const { room, onlyNewest, volume } = await hypervisor.snapshots(address)
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
    sim.faults.add({ kind: 'worker-dies', path: 'snapshot', method, count: 1 })
    await expect(act()).rejects.toMatchObject({ code: 'CLUSTER_UNAVAILABLE' })
    await expect(act()).rejects.toMatchObject(UNLOCK)
    delete vm.config.lock
  }

  it('whose worker died is made anew once the VM is unlocked', async () => {
    await open()
    await brokenOff(take, 'POST')
    await take()
    expect(vm.snapshots).toHaveLength(1)
    expect(vm.snapshots?.[0]).not.toHaveProperty('snapstate')
  })

  it('whose deletion broke off is deleted once the VM is unlocked', async () => {
    await open()
    await take()
    const drop = () => hypervisor.deleteSnapshot(address, NAME)
    await brokenOff(drop, 'DELETE')
    await drop()
    expect(names()).toEqual([])
  })

  it('to which a rollback broke off is gone back to once the VM is unlocked', async () => {
    await open()
    vm.guest.os = 'before'
    await take()
    vm.guest.os = 'after'
    await brokenOff(() => hypervisor.rollBackTo(address, NAME), 'POST')
    expect(vm.guest.os).toBe('after')
    await goBack()
    expect(vm.guest.os).toBe('before')
  })

  it('is not said to be left where the VM is busy with another task', async () => {
    await open()
    await take()
    vm.config.lock = 'backup'
    await expect(hypervisor.rollBackTo(address, NAME)).rejects.toMatchObject({
      code: 'LOCKED',
      message: 'The VM is busy with another task.',
    })
  })

  it('of a storage that takes none is refused in words for its client', async () => {
    await open()
    const store = sim.state.storages.get('local-lvm')
    if (store) store.type = 'dir'
    await expect(take()).rejects.toMatchObject({
      code: 'INVALID_STATE',
      publicMessage: 'The storage of this server cannot take snapshots. Ask the operator.',
    })
  })

  it('keeps the disk it needs, and gives it up afterwards', async () => {
    await open()
    await take()
    const template = { vmId: 9004 }
    await expect(hypervisor.replaceDisk(address, { template, old: OLD })).rejects.toThrow(
      `The VM has snapshots, which need its disk: remove them first (${NAME}).`,
    )
    const order = { template, old: OLD, snapshots: [NAME] }
    const { volume } = await hypervisor.replaceDisk(address, order)
    await hypervisor.dropReplacedDisks(address, { keep: volume })
    await hypervisor.dropSpareDisk(address, OLD)
    expect(sim.state.volumes.has(OLD)).toBe(true)
    await goBack()
    expect(vm.config.scsi0).toContain(OLD)
    await hypervisor.dropSpareDisk(address, volume)
    expect(sim.state.volumes.has(volume)).toBe(false)
    // The disk in use is never removed.
    await hypervisor.deleteSnapshot(address, NAME)
    await hypervisor.dropSpareDisk(address, OLD)
    expect(sim.state.volumes.has(OLD)).toBe(true)
  })
})
