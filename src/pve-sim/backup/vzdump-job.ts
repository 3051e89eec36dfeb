import { actor, require } from '../access/permissions.ts'
import type { Context } from '../context/context.ts'
import { type JobsOf, textArg } from '../jobs/shared.ts'
import { isRunning } from '../metrics/stats.ts'
import type { Archive, Storage, Vm } from '../state/types.ts'
import { isKilled, type Work } from '../tasks/task-runner.ts'
import { archivesOf, diskInArchive, freeVolid, savedDrives } from '../vm/archives.ts'
import { readFirewall } from '../vm/firewall-file.ts'
import { requireUnlocked, vmName } from '../vm/vm-config.ts'
import { textOf } from '../wire/errors.ts'

/** What of the space of its disks an archive takes. */
const PACKED = 0.2

/** Everything but the state of the moment. */
function savedConfig({ config }: Vm): Record<string, string> {
  const isSaved = (key: string) => !/^(lock|parent|digest|unused\d+)$/.test(key)
  return Object.fromEntries(Object.entries(config).filter(([key]) => isSaved(key)))
}

const stopRefused = (vm: Vm, mode: string) =>
  mode === 'stop' && vm.ha?.state === 'started'
    ? 'Cannot execute a backup with stop mode on a HA managed and enabled Service. Use snapshot mode or disable the Service.'
    : undefined

function notesOf(sim: Context, vm: Vm, template: string | undefined): string | undefined {
  const words: Record<string, string> = {
    guestname: vmName(vm),
    vmid: String(vm.vmid),
    node: vm.node,
    cluster: sim.state.name,
  }
  return template
    ?.replaceAll(/\{\{(\w+)\}\}/g, (all, word: string) => words[word] ?? all)
    .replaceAll('\\n', '\n')
}

/** The storage's own retention, which `remove` applies after a backup. */
function prune(sim: Context, { id, keepLast }: Storage, vmid: number): void {
  if (keepLast === undefined) return
  const loose = archivesOf(sim.state, id, vmid).filter(({ archive }) => !archive.isProtected)
  for (const { volid } of loose.slice(0, -keepLast)) sim.state.volumes.delete(volid)
}

type Wish = { storage: Storage; args: Record<string, unknown> }

async function copyOut(sim: Context, work: Work, vm: Vm, { storage, args }: Wish): Promise<void> {
  const compress = textArg(args, 'compress') ?? '0'
  const at = new Date(sim.now())
  const volid = freeVolid(sim.state, { storage, vmid: vm.vmid, at, compress })
  work.log(`INFO: creating archive '${volid}'`)
  const saved = savedDrives(vm.config)
  await work.wait(sim.taskMs)
  for (const { key, volid: disk } of saved) {
    await sim.processes.copyDisk(disk, diskInArchive(volid, key))
  }
  const firewall = sim.state.firewalls?.has(vm.vmid) ? readFirewall(sim.state, vm.vmid) : undefined
  const notes = notesOf(sim, vm, textArg(args, 'notes'))
  const archive: Archive = {
    config: savedConfig(vm),
    guest: structuredClone(vm.guest),
    ...(firewall ? { firewall } : {}),
    ...(notes ? { notes } : {}),
    ...(args.protected === true ? { isProtected: true } : {}),
  }
  const whole = saved.reduce((sum, { size }) => sum + size, 0)
  const isServer = storage.type === 'pbs'
  sim.state.volumes.set(volid, {
    volid,
    storage: storage.id,
    vmid: vm.vmid,
    content: 'backup',
    format: isServer ? 'pbs-vm' : volid.slice(volid.indexOf('.vma') + 1),
    // A backup server reports what is in it, a file what it takes.
    size: Math.round(isServer ? whole : whole * PACKED),
    ctime: Math.floor(at.getTime() / 1000),
    ...(storage.shared ? {} : { node: vm.node }),
    archive,
  })
}

async function backUp(sim: Context, work: Work, vmid: number, wish: Wish): Promise<void> {
  const vm = sim.state.vms.get(vmid)
  if (vm?.node !== work.task.node) throw new Error(`unable to find VM '${vmid}'`)
  require(sim.state, actor(work.task.authid), `/vms/${vmid}`, ['VM.Backup'])
  const mode = textArg(wish.args, 'mode') ?? 'snapshot'
  work.log(`INFO: Starting Backup of VM ${vmid} (qemu)`)
  work.log(`INFO: status = ${isRunning(vm) ? 'running' : 'stopped'}`)
  const why = stopRefused(vm, mode)
  if (why !== undefined) throw new Error(why)
  requireUnlocked(vm)
  const wasOff = !isRunning(vm)
  vm.config.lock = 'backup'
  // QEMU reads the disks, so a VM that is off has a process meanwhile.
  if (wasOff) vm.qmp = 'prelaunch'
  const letGo = () => {
    delete vm.config.lock
    if (wasOff && vm.qmp === 'prelaunch') vm.qmp = 'stopped'
  }
  try {
    await copyOut(sim, work, vm, wish)
    letGo()
  } catch (error) {
    if (!isKilled(error)) letGo()
    else if (wasOff) vm.qmp = 'stopped'
    throw error
  }
  if (wish.args.remove === true) prune(sim, wish.storage, vmid)
  work.log(`INFO: Finished Backup of VM ${vmid}`)
}

/** The job goes on after a VM that could not be saved; only its log says which, and why. */
async function runJob(sim: Context, work: Work, args: Record<string, unknown>): Promise<void> {
  const storage = sim.state.storages.get(textArg(args, 'storage') ?? '')
  if (!storage) throw new Error(`storage '${textArg(args, 'storage')}' does not exist`)
  const vmids = (textArg(args, 'vmids') ?? '').split(',').map(Number)
  let hasFailed = false
  for (const vmid of vmids) {
    try {
      await backUp(sim, work, vmid, { storage, args })
    } catch (error) {
      if (isKilled(error)) throw error
      hasFailed = true
      work.log(`ERROR: Backup of VM ${vmid} failed - ${textOf(error)}`)
    }
  }
  if (hasFailed) throw new Error('job errors')
  work.log('INFO: Backup job finished successfully')
}

export const vzdumpJobs: JobsOf = (sim) => ({
  vzdump: (work, args) => {
    const minutes = Number(args.lockwait ?? 180)
    return sim.locks.vzdump(work, work.task.node, minutes, () => runJob(sim, work, args))
  },
})
