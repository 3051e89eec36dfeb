import type { Context } from '../context/context.ts'
import { formatSize, withProperty } from '../formats/property-string.ts'
import type { Storage, Vm } from '../state/types.ts'
import { INTERRUPTED, type Work } from '../tasks/task-runner.ts'
import {
  addVolume,
  type Drive,
  freeVolume,
  imageStorage,
  imagesOf,
  isCloudinit,
  ownDrives,
  volumeName,
} from '../vm/disks.ts'
import { cloneFirewall } from '../vm/firewall-file.ts'
import { newIdentity } from '../vm/vm-config.ts'
import { textOf } from '../wire/errors.ts'
import { copyDisk } from './copy-disk.ts'
import { removeVm } from './disks.ts'
import { type JobsOf, jobVm, numberArg, textArg } from './shared.ts'

/** What the API call writes before it forks the worker. */
export function reserveClone(sim: Context, source: Vm, newid: number): Vm {
  const vm: Vm = {
    vmid: newid,
    node: source.node,
    config: { lock: 'clone' },
    pending: {},
    qmp: 'stopped',
    pid: 0,
    startedAt: 0,
    netRuns: [],
    createdAt: sim.now(),
    guest: { ...source.guest, passwords: {} },
  }
  sim.state.vms.set(newid, vm)
  return vm
}

function newVolid(sim: Context, storage: Storage, drive: Drive, vm: Vm, linked: boolean): string {
  if (isCloudinit(drive.volid)) return volumeName(storage, vm.vmid, `vm-${vm.vmid}-cloudinit`)
  const volid = freeVolume(sim.state, storage, vm.vmid)
  if (!linked || storage.type === 'lvmthin') return volid
  // Other storages include the base in the clone's own name.
  const [, rest = ''] = volid.split(`${storage.id}:`)
  const base = drive.volid.split(':')[1] ?? ''
  return `${storage.id}:${base}/${rest}`
}

async function cloneDrive(sim: Context, work: Work, plan: Plan, drive: Drive): Promise<void> {
  const { source, target, config } = plan
  const cloudinit = isCloudinit(drive.volid)
  const linked = !plan.full && !cloudinit
  const storage = imageStorage(
    sim.state,
    linked ? drive.storage : (plan.storage ?? drive.storage),
    target.node,
  )
  work.log(`create ${linked ? 'linked' : 'full'} clone of drive ${drive.key} (${drive.volid})`)
  if (linked) await work.wait(sim.taskMs / 2)
  else if (!cloudinit) {
    await copyDisk(sim, work, {
      drive,
      storage,
      isRunning: source.qmp !== 'stopped',
      failure: 'clone failed: ',
    })
  }
  const volid = newVolid(sim, storage, drive, target, linked)
  await sim.processes.copyDisk(drive.volid, volid)
  const size = drive.size || 4 * 1024 ** 2
  addVolume(sim.state, {
    storage,
    node: target.node,
    vmid: target.vmid,
    volid,
    size,
    now: sim.now(),
    ...(linked ? { parent: drive.volid } : {}),
  })
  const text = source.config[drive.key] ?? ''
  const moved = [volid, ...text.split(',').slice(1)].join(',')
  config[drive.key] = withProperty(moved, 'size', formatSize(size))
}

type Plan = {
  source: Vm
  target: Vm
  full: boolean
  storage: string | undefined
  config: Record<string, string>
}

const DROPPED = /^(lock|template|parent|vmstate|runningmachine|runningcpu|digest|unused\d+)$/

/** The template's settings with a new identity: MACs, SMBIOS uuid, generation id. */
function newConfig(source: Vm, args: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(source.config).filter(([key]) => !DROPPED.test(key))
  const config: Record<string, string> = Object.fromEntries(entries)
  Object.assign(config, newIdentity(config))
  config.name = textArg(args, 'name') ?? `Copy-of-VM-${source.config.name ?? source.vmid}`
  const description = textArg(args, 'description')
  if (description) config.description = description
  return config
}

/** Removes the half-copied disks of a worker that a restart interrupted. */
function dropVolumes(sim: Context, target: Vm): void {
  for (const { volid } of imagesOf(sim.state, target.vmid)) sim.state.volumes.delete(volid)
}

async function clone(sim: Context, work: Work, args: Record<string, unknown>): Promise<void> {
  const source = jobVm(sim, args, work.task.node)
  const target = sim.state.vms.get(numberArg(args, 'newid'))
  if (!target) throw new Error('clone failed: configuration vanished')
  dropVolumes(sim, target)
  const config = newConfig(source, args)
  const plan = {
    source,
    target,
    full: args.full === true,
    storage: textArg(args, 'storage'),
    config,
  }
  try {
    for (const drive of ownDrives(source.config)) await cloneDrive(sim, work, plan, drive)
  } catch (error) {
    removeVm(sim, target)
    if (textOf(error) === INTERRUPTED) throw new Error('clone failed: interrupted by signal')
    throw error
  }
  target.config = config
  cloneFirewall(sim.state, source.vmid, target.vmid)
  target.node = textArg(args, 'target') ?? target.node
  // At the very end: until then an account with privileges on the pool may not see the VM.
  const pool = textArg(args, 'pool')
  if (pool) sim.state.pools.get(pool)?.vms.push(target.vmid)
}

export const cloneJobs: JobsOf = (sim) => ({
  qmclone: (work, args) => clone(sim, work, args),
})
