import { beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '#pve-sim/faults/fault-board.ts'
import { AppError } from '#shared/errors.ts'
import { ownVmCluster } from '../testing/own-vm-cluster.ts'

const template = { vmId: 9004 }

const our = ownVmCluster()

const disks = () =>
  [...our.sim.state.volumes.values()]
    .filter(({ vmid, volid }) => vmid === 103 && !volid.includes('cloudinit'))
    .map(({ volid }) => volid)
const slotOf = () => our.vm.config.scsi0?.split(',')[0]
const copies = () =>
  [...our.sim.state.tasks.values()].filter(({ log }) =>
    log.some((line) => line.startsWith('create full clone')),
  ).length

const replace = (old: string) => our.hypervisor.replaceDisk(our.address, { template, old })
const drop = (keep: string) => our.hypervisor.dropReplacedDisks(our.address, { keep })
const restore = (old: string) => our.hypervisor.restoreDisk(our.address, old)

const finish = async (old: string) => {
  const { volume } = await replace(old)
  await drop(volume)
}
const giveUp = async (old: string) => {
  await replace(old)
  await restore(old)
}

describe('a process that dies', () => {
  const BEGINNINGS = { finish, giveUp }
  const ENDS = { finish, restore }

  it.each([
    ['9.1', 'finish', 'finish'],
    ['9.1', 'finish', 'restore'],
    ['9.1', 'giveUp', 'finish'],
    ['9.1', 'giveUp', 'restore'],
    ['8.4', 'finish', 'restore'],
    ['7.4', 'giveUp', 'finish'],
  ] as const)(
    'on PVE %s at any moment of %s leaves what %s makes one disk of',
    async (...given) => {
      const [version, begun, ended] = given
      await our.open({ version })
      const { net0, smbios1 } = our.vm.config
      let requests = 0
      for (let isCut = true; isCut; ) {
        requests += 1
        const { volume: old } = await our.hypervisor.bootDisk(our.address)
        isCut = await our.dying(() => BEGINNINGS[begun](old), requests)
        const outcome = await ENDS[ended](old).catch((error: unknown) => error)
        const isRestored = ended === 'restore' && our.sim.state.volumes.has(old)
        // What was dropped does not come back, and the VM boots from the new disk.
        if (isRestored || ended === 'finish') expect(outcome).toBeUndefined()
        else expect(outcome).toMatchObject({ code: 'INVALID_STATE' })
        expect(disks()).toEqual([slotOf()])
        expect(slotOf() === old).toBe(isRestored)
        expect(our.sim.state.orphans()).toEqual([])
        expect(our.vm.config).toMatchObject({ net0, smbios1, boot: 'order=scsi0;ide2' })
        expect(Object.keys(our.vm.config).filter((key) => key.startsWith('unused'))).toEqual([])
      }
      expect(our.sim.state.vms.get(103)).toBe(our.vm)
    },
  )
})

const OLD = 'local-lvm:vm-103-disk-0'
const NEW = 'local-lvm:vm-103-disk-1'
const ON_CONFIG = { method: 'POST', path: '/config$', count: 1 } as const

describe('an answer that is lost', () => {
  beforeEach(() => our.open())

  const HAPPENED: Fault[] = [
    { kind: 'reset', ...ON_CONFIG },
    { kind: 'truncate', ...ON_CONFIG },
    { kind: '596', ...ON_CONFIG },
    { kind: '502', ...ON_CONFIG, effect: true },
    { kind: 'task-lost', ...ON_CONFIG },
  ]

  it.each(HAPPENED)('by $kind is found in the configuration', async (fault) => {
    our.sim.faults.add(fault)
    expect(await replace(OLD)).toEqual({ volume: NEW })
    our.sim.faults.add(fault)
    await restore(OLD)
    expect([copies(), disks()]).toEqual([1, [OLD]])
    await replace(OLD)
    our.sim.faults.add(fault)
    await drop(NEW)
    expect([copies(), disks()]).toEqual([2, [NEW]])
  })

  const DID_NOT_HAPPEN: Fault[] = [
    { kind: '595', ...ON_CONFIG },
    { kind: 'html-500', ...ON_CONFIG },
    { kind: 'worker-dies', ...ON_CONFIG },
  ]

  it.each(DID_NOT_HAPPEN)('to what did not happen ($kind) is reported', async (fault) => {
    const reported = { code: 'CLUSTER_UNAVAILABLE', details: { outcome: 'unknown' } }
    our.sim.faults.add(fault)
    await expect(replace(OLD)).rejects.toMatchObject(reported)
    expect([slotOf(), disks()]).toEqual([OLD, [OLD]])
    expect(await replace(OLD)).toEqual({ volume: NEW })
    our.sim.faults.add(fault)
    await expect(drop(NEW)).rejects.toMatchObject(reported)
    our.sim.faults.add(fault)
    await expect(restore(OLD)).rejects.toMatchObject(reported)
    await restore(OLD)
    expect([slotOf(), disks()]).toEqual([OLD, [OLD]])
  })
})

describe('a copy that is being made', () => {
  it('is joined by whoever asks for it again, and is made once', async () => {
    await our.open()
    const other = our.connect()
    const [first, second] = await Promise.all([
      replace(OLD),
      other.replaceDisk(our.address, { template, old: OLD }),
    ])
    expect([first, second]).toEqual([{ volume: NEW }, { volume: NEW }])
    expect([copies(), disks()]).toEqual([1, [OLD, NEW]])
    await other.close()
  })

  it('is waited for by whoever gives up', async () => {
    await our.open({ taskMs: 100 })
    const begun = Promise.withResolvers<void>()
    const other = our.connect()
    const order = { template, old: OLD }
    const copy = other.replaceDisk(our.address, order, { onTask: () => begun.resolve() })
    const outcome = copy.catch((error: unknown) => error)
    await begun.promise
    await other.close()
    await restore(OLD)
    expect(await outcome).toBeInstanceOf(AppError)
    expect([copies(), slotOf(), disks()]).toEqual([1, OLD, [OLD]])
  })

  it('while the VM is started waits for its next start, and can be taken back', async () => {
    await our.open({ taskMs: 100 })
    const startInBetween = () => {
      our.vm.qmp = 'running'
    }
    const order = { template, old: OLD }
    const late = our.hypervisor.replaceDisk(our.address, order, { onTask: startInBetween })
    await expect(late).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('It waits for the next stop and start'),
    })
    await expect(replace(OLD)).rejects.toMatchObject({
      message: expect.stringContaining('stop it'),
    })
    await expect(drop(NEW)).rejects.toMatchObject({ code: 'INVALID_STATE' })
    await expect(restore(OLD)).rejects.toMatchObject({
      message: expect.stringContaining('stop it'),
    })
    our.vm.qmp = 'stopped'
    await restore(OLD)
    expect([slotOf(), our.vm.pending, disks()]).toEqual([OLD, {}, [OLD]])
  })
})
