import type { Context } from '../context/context.ts'
import { formatSize, withProperty } from '../formats/property-string.ts'
import { type JobsOf, jobVm, textArg } from '../jobs/shared.ts'
import { isRunning } from '../metrics/stats.ts'
import type { Vm } from '../state/types.ts'
import { isKilled, type Work } from '../tasks/task-runner.ts'
import { type ArchiveVolume, archiveAt, diskInArchive, savedDrives } from '../vm/archives.ts'
import {
  addVolume,
  type Drive,
  drives,
  freeVolume,
  imageStorage,
  isCloudinit,
  ownerOf,
  printDrive,
  volumeName,
} from '../vm/disks.ts'
import { keepUnused } from '../vm/drive-changes.ts'
import { writeFirewall } from '../vm/firewall-file.ts'
import { newIdentity } from '../vm/vm-config.ts'

type Values = Record<string, string>

/**
 * What is left of the VM before the first byte is written: no disk that the archive has, no snapshot,
 * and a configuration without name, network or description. Disks that the archive does not know
 * become unused.
 */
async function empty(sim: Context, vm: Vm, saved: readonly Drive[]): Promise<void> {
  const places = new Set(saved.map(({ key }) => key))
  const own = drives(vm.config).filter(({ volid }) => ownerOf(volid) === vm.vmid)
  const unused = Object.entries(vm.config).filter(([key]) => /^unused\d+$/.test(key))
  const doomed = own.filter(({ key, volid }) => places.has(key) || isCloudinit(volid))
  for (const { volid } of doomed) sim.state.volumes.delete(volid)
  vm.config = { memory: '128', lock: 'create', ...Object.fromEntries(unused) }
  vm.pending = {}
  vm.snapshots = []
  for (const { volid } of own) if (sim.state.volumes.has(volid)) keepUnused(vm, volid)
  await sim.processes.removeDisks(doomed.map(({ volid }) => volid))
}

async function copyIn(
  sim: Context,
  work: Work,
  vm: Vm,
  { source, drive, target }: { source: ArchiveVolume; drive: Drive; target: string | undefined },
): Promise<string> {
  const storage = imageStorage(sim.state, target ?? drive.storage, vm.node)
  const volid = freeVolume(sim.state, storage, vm.vmid)
  work.log(`restore drive ${drive.key} to '${volid}'`)
  addVolume(sim.state, {
    storage,
    node: vm.node,
    vmid: vm.vmid,
    volid,
    size: drive.size,
    now: sim.now(),
  })
  await sim.processes.copyDisk(diskInArchive(source.volid, drive.key), volid)
  const printed = printDrive(volid, source.archive.config[drive.key] ?? '')
  return withProperty(printed, 'size', formatSize(drive.size))
}

function newCloudinit(sim: Context, vm: Vm, drive: Drive, target: string | undefined): string {
  const storage = imageStorage(sim.state, target ?? drive.storage, vm.node)
  const volid = volumeName(storage, vm.vmid, `vm-${vm.vmid}-cloudinit`)
  addVolume(sim.state, {
    storage,
    node: vm.node,
    vmid: vm.vmid,
    volid,
    size: 4 * 1024 ** 2,
    now: sim.now(),
  })
  return `${volid},media=cdrom`
}

/** The archive's configuration, with its disks in their new places and what the caller sent. */
async function restore(sim: Context, work: Work, vm: Vm, args: Record<string, unknown>) {
  const source = archiveAt(sim.state, textArg(args, 'archive') ?? '', vm.node)
  const target = textArg(args, 'storage')
  const { archive } = source
  const saved = savedDrives(archive.config)
  await empty(sim, vm, saved)
  await work.wait(sim.taskMs)
  const config: Values = { ...archive.config }
  for (const drive of drives(archive.config)) {
    if (isCloudinit(drive.volid)) config[drive.key] = newCloudinit(sim, vm, drive, target)
    else if (saved.some(({ key }) => key === drive.key)) {
      config[drive.key] = await copyIn(sim, work, vm, { source, drive, target })
    } else if (!drive.cdrom) delete config[drive.key]
  }
  const unused = Object.entries(vm.config).filter(([key]) => /^unused\d+$/.test(key))
  const sent = args.set as Values
  if (args.unique === true) Object.assign(config, newIdentity(config))
  vm.config = { ...config, ...Object.fromEntries(unused), ...sent, lock: 'create' }
  vm.guest = structuredClone(archive.guest)
  if (archive.firewall) writeFirewall(sim.state, vm.vmid, structuredClone(archive.firewall))
  delete vm.config.lock
}

const NOT_CLEANED = (vmid: number) =>
  `error before or during data restore, some or all disks were not completely restored. VM ${vmid} state is NOT cleaned up.`

export const restoreJobs: JobsOf = (sim) => ({
  qmrestore: async (work, args) => {
    const vm = jobVm(sim, args, work.task.node)
    const refused = `unable to restore VM ${vm.vmid} -`
    try {
      if (vm.config.protection === '1') throw new Error(`${refused} protection mode enabled`)
      if (isRunning(vm)) throw new Error(`${refused} vm is running`)
      await sim.locks.vm(work, vm.vmid, () => restore(sim, work, vm, args))
    } catch (error) {
      if (isKilled(error)) throw error
      // The lock goes in any case; disks that were freed do not come back.
      delete vm.config.lock
      work.log(NOT_CLEANED(vm.vmid))
      throw error
    }
  },
})
