import type { Context } from '../context/context.ts'
import { isRunning } from '../metrics/stats.ts'
import { stopVm } from '../state/cluster-state.ts'
import type { Snapshot, Vm } from '../state/types.ts'
import { atLeast } from '../state/versions.ts'
import { isKilled, type Work } from '../tasks/task-runner.ts'
import { bootVolume, type Drive, drives, isCloudinit } from '../vm/disks.ts'
import { forgetUsed, keepUnused } from '../vm/drive-changes.ts'
import { agentEnabled, requireUnlocked, snapshotNamed } from '../vm/vm-config.ts'
import { type JobsOf, jobVm, textArg } from './shared.ts'

/** Disks that a snapshot contains: CDs and the cloud-init drive are left out. */
const contained = (config: Record<string, string>): Drive[] =>
  drives(config).filter(({ storage, cdrom, volid }) => storage && !cdrom && !isCloudinit(volid))

/** Where the bytes of a disk are kept for a snapshot, if VMs are real processes. */
const copyOf = (volid: string, name: string) => `${volid}@${name}`

function requireFeature(sim: Context, { config }: Vm): void {
  for (const { volid, storage } of contained(config)) {
    const { type } = sim.state.storages.get(storage) ?? {}
    const isFile = type === 'dir' || type === 'nfs'
    if (isFile && sim.state.volumes.get(volid)?.format !== 'qcow2') {
      throw new Error('snapshot feature is not available')
    }
  }
}

/**
 * PVE writes the lock into the configuration. Whatever breaks a deletion or a rollback off, a
 * storage or the end of the worker, leaves it there: every later task on the VM fails, these too,
 * until root unlocks it.
 */
async function locked(vm: Vm, lock: string, act: () => Promise<void>): Promise<void> {
  vm.config.lock = lock
  await act()
  delete vm.config.lock
}

const NO_FREEZE = 'skipping guest filesystem freeze - disabled in VM options'
const isNew = ({ state }: Context) => atLeast(state.version, '9.0')

const drop = (vm: Vm, name: string) => {
  vm.snapshots = (vm.snapshots ?? []).filter((snapshot) => snapshot.name !== name)
}

/** What a snapshot keeps of the configuration. */
function keptConfig({ config }: Vm): Record<string, string> {
  const isKept = (key: string) => !/^(lock|parent|digest|unused\d+)$/.test(key)
  return Object.fromEntries(Object.entries(config).filter(([key]) => isKept(key)))
}

async function take(sim: Context, work: Work, vm: Vm, wish: Snapshot): Promise<void> {
  const { name } = wish
  if (vm.config.template === '1') throw new Error("you can't take a snapshot if it's a template")
  requireUnlocked(vm)
  if (vm.snapshots?.some((snapshot) => snapshot.name === name)) {
    throw new Error(`snapshot name '${name}' already used`)
  }
  requireFeature(sim, vm)
  const { parent } = vm.config
  const made: Snapshot = {
    ...wish,
    config: keptConfig(vm),
    ...(parent ? { parent } : {}),
    snapstate: 'prepare',
  }
  vm.snapshots = [...(vm.snapshots ?? []), made]
  await locked(vm, 'snapshot', async () => {
    try {
      await work.wait(sim.taskMs)
      if (isNew(sim) && isRunning(vm) && !agentEnabled(vm.config)) work.log(NO_FREEZE)
      for (const { key, volid, storage } of contained(vm.config)) {
        work.log(`snapshotting 'drive-${key}' (${volid})`)
        const isFile = sim.state.storages.get(storage)?.type === 'dir'
        if (isRunning(vm) && isFile && isNew(sim)) work.log('internal qemu snapshot')
        await sim.processes.copyDisk(volid, copyOf(volid, name))
      }
    } catch (error) {
      // A snapshot that fails is cleaned up by its worker, if there still is one.
      if (!isKilled(error)) {
        drop(vm, name)
        delete vm.config.lock
      }
      throw error
    }
    made.guest = structuredClone(vm.guest)
    made.snaptime = Math.floor(sim.now() / 1000)
    delete made.snapstate
    vm.config.parent = name
  })
}

const NOT_ON_VOLUME = "command 'lvremove' failed: exit code 5"

async function remove(
  sim: Context,
  work: Work,
  vm: Vm,
  { name, isForced }: { name: string; isForced: boolean },
): Promise<void> {
  const doomed = snapshotNamed(vm, name)
  requireUnlocked(vm)
  const { snapstate } = doomed
  await locked(vm, 'snapshot-delete', async () => {
    doomed.snapstate = 'delete'
    await work.wait(sim.taskMs)
    // The volume's own was deleted before the worker died; by force that does not matter.
    if (snapstate === 'delete' && !isForced) throw new Error(NOT_ON_VOLUME)
    const copies = contained(doomed.config).map(({ volid }) => copyOf(volid, name))
    await sim.processes.removeDisks(copies)
    for (const child of [vm.config, ...(vm.snapshots ?? [])]) {
      if (child.parent !== name) continue
      if (doomed.parent === undefined) delete child.parent
      else child.parent = doomed.parent
    }
    drop(vm, name)
  })
}

/** Some storages can go back only to the newest snapshot of a disk. */
function requireNewest(sim: Context, { snapshots = [] }: Vm, wish: Snapshot): void {
  const later = snapshots.slice(snapshots.indexOf(wish) + 1)
  for (const { volid, storage } of contained(wish.config)) {
    if (sim.state.storages.get(storage)?.type !== 'zfspool') continue
    const isNewer = later.some(({ config }) => contained(config).some((d) => d.volid === volid))
    if (isNewer) {
      throw new Error(`can't rollback, '${wish.name}' is not most recent snapshot on '${volid}'`)
    }
  }
}

/**
 * The configuration is the snapshot's again, all of it; only the description and the unused disks
 * stay. Disks that the snapshot does not know become unused.
 */
function restoreConfig(sim: Context, vm: Vm, wish: Snapshot): void {
  const before = bootVolume(vm.config)
  const known = new Set(contained(wish.config).map(({ volid }) => volid))
  const left = contained(vm.config).filter(({ volid }) => !known.has(volid))
  const stays = Object.entries(vm.config).filter(([key]) => /^(description|unused\d+)$/.test(key))
  const { description: _, ...config } = wish.config
  vm.config = { ...config, ...Object.fromEntries(stays), parent: wish.name, lock: 'rollback' }
  vm.pending = {}
  // In this order: the place of a disk that is attached again is free only afterwards.
  for (const { volid } of left) keepUnused(vm, volid)
  forgetUsed(vm)
  const after = bootVolume(vm.config)
  const { password: __, ...software } = structuredClone(vm.guest)
  const abandoned = after === before ? undefined : sim.state.volumes.get(before)
  if (abandoned) abandoned.software = software
  const entered = sim.state.volumes.get(after)
  if (wish.guest) vm.guest = structuredClone(wish.guest)
  if (entered) delete entered.software
}

async function rollBack(sim: Context, work: Work, vm: Vm, name: string): Promise<void> {
  if (vm.config.template === '1') throw new Error("you can't rollback if vm is a template")
  const wish = snapshotNamed(vm, name)
  if (wish.snapstate) {
    throw new Error(`unable to rollback to incomplete snapshot (snapstate = ${wish.snapstate})`)
  }
  requireUnlocked(vm)
  requireNewest(sim, vm, wish)
  await locked(vm, 'rollback', async () => {
    await sim.processes.stop(vm)
    stopVm(vm, sim.now())
    await work.wait(sim.taskMs)
    for (const { volid } of contained(wish.config)) {
      await sim.processes.copyDisk(copyOf(volid, name), volid)
    }
    restoreConfig(sim, vm, wish)
  })
}

export const snapshotJobs: JobsOf = (sim) => {
  const onVm =
    (act: (work: Work, vm: Vm, args: Record<string, unknown>) => Promise<void>) =>
    (work: Work, args: Record<string, unknown>) => {
      const vm = jobVm(sim, args, work.task.node)
      return sim.locks.vm(work, vm.vmid, () => act(work, vm, args))
    }
  const nameOf = (args: Record<string, unknown>) => textArg(args, 'snapname') ?? ''
  return {
    qmsnapshot: onVm((work, vm, args) =>
      take(sim, work, vm, {
        name: nameOf(args),
        description: textArg(args, 'description') ?? '',
        snaptime: 0,
        config: {},
        ...(args.vmstate === true && isRunning(vm) ? { hasMemory: true } : {}),
      }),
    ),
    qmdelsnapshot: onVm((work, vm, args) =>
      remove(sim, work, vm, { name: nameOf(args), isForced: args.force === true }),
    ),
    qmrollback: onVm(async (work, vm, args) => {
      const name = nameOf(args)
      await rollBack(sim, work, vm, name)
      const { hasMemory } = snapshotNamed(vm, name)
      if (args.start !== true && !hasMemory) return
      const { node, authid } = work.task
      const job = { name: 'qmstart', args: { vmid: vm.vmid } }
      sim.tasks.start({ node, type: 'qmstart', id: String(vm.vmid), authid, job })
    }),
  }
}
