import { actor, require } from '../access/permissions.ts'
import type { Context } from '../context/context.ts'
import { isBooting } from '../guest/guest.ts'
import type { Vm } from '../state/types.ts'
import { applyChanges, type Changes, pinnedMachine } from '../vm/apply-changes.ts'
import { appliesAtOnce, isDiskKey } from '../vm/config-schema.ts'
import { ownerOf, parseDrive } from '../vm/disks.ts'
import { isUnusedKey } from '../vm/drive-changes.ts'
import { requireDigest, requireUnlocked } from '../vm/vm-config.ts'
import { importDisks, type Run } from './import-disk.ts'
import { type JobsOf, jobVm, textArg } from './shared.ts'

/** Who removes a disk needs the privilege on its storage. */
function requireRemovable(sim: Context, vm: Vm, changes: Changes, authid: string): void {
  for (const key of changes.delete) {
    if (!isUnusedKey(key) && !(changes.force && isDiskKey(key))) continue
    const { volid, storage } = parseDrive(key, vm.config[key] ?? '')
    if (ownerOf(volid) !== vm.vmid) continue
    require(sim.state, actor(authid), `/storage/${storage}`, ['Datastore.AllocateSpace'])
  }
}

/**
 * PVE writes key by key, in an order that differs each time: what came before the disk that could not be
 * copied stays pending. Here everything did.
 */
function leavePending(sim: Context, vm: Vm, changes: Changes): void {
  const machine = pinnedMachine(sim.state.version, vm, changes)
  const left = { ...changes.set, ...(machine === undefined ? {} : { machine }) }
  for (const [key, value] of Object.entries(left)) {
    if (!appliesAtOnce(key)) vm.pending[key] = value
  }
}

/** The whole of a change: the worker of POST, and PUT itself. */
export async function changeConfig(
  sim: Context,
  run: Run,
  vm: Vm,
  changes: Changes,
): Promise<void> {
  requireRemovable(sim, vm, changes, run.authid)
  const set = await importDisks(sim, run, vm, changes.set).catch((error: unknown) => {
    leavePending(sim, vm, changes)
    throw error
  })
  const machine = pinnedMachine(sim.state.version, vm, changes)
  if (machine) run.log(`pinning machine type to '${machine}' for Windows guest OS`)
  const before = new Set(sim.state.volumes.keys())
  const moment = { now: sim.now(), booting: isBooting(sim, vm) }
  try {
    applyChanges(sim.state, vm, { ...changes, set }, moment)
  } finally {
    const removed = [...before].filter((volid) => !sim.state.volumes.has(volid))
    await sim.processes.removeDisks(removed)
  }
}

export const configJobs: JobsOf = (sim) => ({
  qmconfig: (work, args) => {
    const vm = jobVm(sim, args, work.task.node)
    const changes = args.changes as Changes
    work.log(`update VM ${vm.vmid}: ${describe(changes)}`)
    return sim.locks.vm(work, vm.vmid, async () => {
      // Another worker may have had the lock meanwhile.
      requireDigest(vm, textArg(args, 'digest'))
      if (args.skiplock !== true) requireUnlocked(vm)
      await work.wait(sim.taskMs / 8)
      for (const key of changes.delete) {
        if (vm.config[key] === undefined && vm.pending[key] === undefined) {
          work.log(`cannot delete '${key}' - not set in current configuration!`)
        }
      }
      const { authid } = work.task
      await changeConfig(sim, { log: work.log, wait: work.wait, authid, args }, vm, changes)
    })
  },
})

/** Secrets never reach the log. */
function describe(changes: Changes): string {
  const shown = (key: string, value: string) => (key === 'cipassword' ? '<hidden>' : value)
  const force: [string, string][] = changes.force ? [['force', '1']] : []
  const deleted: [string, string][] =
    changes.delete.length > 0 ? [['delete', changes.delete.join(',')]] : []
  return [...Object.entries(changes.set), ...deleted, ...force]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `-${key} ${shown(key, value)}`)
    .join(' ')
}
