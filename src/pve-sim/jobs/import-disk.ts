import type { Context } from '../context/context.ts'
import { parseProperties } from '../formats/property-string.ts'
import type { Software, Vm, Volume } from '../state/types.ts'
import { KILLED, type Pace } from '../tasks/task-runner.ts'
import { isDiskKey } from '../vm/config-schema.ts'
import {
  addVolume,
  bootVolume,
  drives,
  freeVolume,
  imageStorage,
  isCloudinit,
  ownerOf,
  parseDrive,
  printDrive,
} from '../vm/disks.ts'
import { textOf } from '../wire/errors.ts'
import { copyDisk } from './copy-disk.ts'

/** How a change of configuration runs: as a worker, or inside the call. */
export type Run = Pace & {
  authid: string
  /** Kept with the task: a worker that is run again finds what its first run began. */
  args: Record<string, unknown>
}

const importSource = (value: string) => parseProperties(value).get('import-from')

const cannotImport = (source: string, error: unknown) =>
  new Error(`cannot import from '${source}' - ${textOf(error)}`)

/** The system on a volume: its VM's, if that VM boots from it. */
function softwareOn(sim: Context, source: Volume): Software | undefined {
  const owner = sim.state.vms.get(source.vmid ?? 0)
  if (!owner || bootVolume(owner.config) !== source.volid) return source.software
  const { password: _, ...software } = structuredClone(owner.guest)
  return { ...software, passwords: {} }
}

/** Everything PVE checks inside the worker, in its words. */
function findSource(
  sim: Context,
  vm: Vm,
  volid: string,
): { source: Volume; owner: Vm | undefined } {
  const source = sim.state.volumes.get(volid)
  const isHere = source && (source.node === undefined || source.node === vm.node)
  if (!isHere) throw new Error(`could not get size of ${volid}`)
  if (isCloudinit(volid)) throw new Error('cannot import from cloudinit disk')
  const owner = sim.state.vms.get(ownerOf(volid) ?? 0)
  if (owner && owner.node !== vm.node) throw new Error(`owner VM ${owner.vmid} not on local node`)
  return { source, owner }
}

/** Copies the source in full and returns the drive as it is stored. */
async function importDisk(sim: Context, run: Run, vm: Vm, wish: [string, string]) {
  const [key, value] = wish
  const { source, owner } = findSource(sim, vm, importSource(value) ?? '')
  const storage = imageStorage(sim.state, parseDrive(key, value).storage, vm.node)
  const place = drives(owner?.config ?? {}).find((drive) => drive.volid === source.volid)
  const drive = { ...parseDrive(place?.key ?? key, source.volid), size: source.size }
  run.log(`create full clone of drive${place ? ` ${place.key}` : ''} (${source.volid})`)
  const volid = freeVolume(sim.state, storage, vm.vmid)
  const software = softwareOn(sim, source)
  const base = { storage, node: vm.node, vmid: vm.vmid, now: sim.now() }
  addVolume(sim.state, { ...base, volid, size: source.size, software })
  run.args.allocated = volid
  try {
    const isRunning = owner !== undefined && owner.qmp !== 'stopped'
    await copyDisk(sim, run, { drive, storage, isRunning, failure: '' })
    await sim.processes.copyDisk(source.volid, volid)
  } catch (error) {
    // A worker that is killed cleans nothing up.
    if (textOf(error) !== KILLED) sim.state.volumes.delete(volid)
    throw error
  }
  const stored = printDrive(volid, value, source.size)
  run.log(`${key}: successfully created disk '${stored}'`)
  return stored
}

/** The half-copied disk of a worker that a restart of the simulator interrupted. */
function dropInterrupted(sim: Context, run: Run, vm: Vm): void {
  const { allocated } = run.args
  const isAttached = drives(vm.config).some((drive) => drive.volid === allocated)
  if (typeof allocated === 'string' && !isAttached) sim.state.volumes.delete(allocated)
}

/** Replaces each `import-from` by the disk that was made of it. */
export async function importDisks(
  sim: Context,
  run: Run,
  vm: Vm,
  set: Record<string, string>,
): Promise<Record<string, string>> {
  dropInterrupted(sim, run, vm)
  const stored = { ...set }
  for (const [key, value] of Object.entries(set)) {
    const source = isDiskKey(key) ? importSource(value) : undefined
    if (source === undefined) continue
    try {
      stored[key] = await importDisk(sim, run, vm, [key, value])
    } catch (error) {
      if (textOf(error) === KILLED) throw error
      throw cannotImport(source, error)
    }
  }
  return stored
}
