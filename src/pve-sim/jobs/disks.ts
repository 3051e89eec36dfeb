import type { Context } from '../context/context.ts'
import { formatSize, parseSize, withProperty } from '../formats/property-string.ts'
import type { ClusterData, Vm } from '../state/types.ts'
import type { Work } from '../tasks/task-runner.ts'
import { dependants, drives, imagesOf, isCloudinit, ownDrives } from '../vm/disks.ts'
import { requireDigest, requireUnlocked } from '../vm/vm-config.ts'
import { type JobsOf, jobVm, textArg } from './shared.ts'

/** Removes disks, pool membership, access entries and firewall along with the VM; never its backups. */
export function removeVm({ state: data, resources }: Context, vm: Vm): void {
  resources.leaves(vm)
  for (const volume of imagesOf(data, vm.vmid)) data.volumes.delete(volume.volid)
  for (const pool of data.pools.values()) pool.vms = pool.vms.filter((id) => id !== vm.vmid)
  data.acls = data.acls.filter((acl) => acl.path !== `/vms/${vm.vmid}`)
  data.firewalls?.delete(vm.vmid)
  data.vms.delete(vm.vmid)
}

async function destroy(sim: Context, work: Work, vm: Vm): Promise<void> {
  for (const drive of ownDrives(vm.config)) {
    if (dependants(sim.state, drive.volid).length > 0) {
      throw new Error(`base volume '${drive.volid}' is still in use by linked cloned`)
    }
  }
  await work.wait(sim.taskMs)
  for (const { volid, storage } of ownDrives(vm.config)) {
    const ceph = sim.state.storages.get(storage)?.type === 'rbd'
    const removed = `  Logical volume "${volid.split(':')[1]}" successfully removed.`
    work.log(ceph ? 'Removing image: 100% complete...done.' : removed)
  }
  work.log('purging VM from related configurations..')
  const volumes = imagesOf(sim.state, vm.vmid)
  removeVm(sim, vm)
  await sim.processes.removeDisks(volumes.map(({ volid }) => volid))
}

/** Bytes after the resize; `+8G` adds, a bare number is bytes. */
function newSize(current: number, wish: string): number {
  const size = parseSize(wish.replace(/^\+/, '')) ?? 0
  return wish.startsWith('+') ? current + size : size
}

/** The whole of resize: a synchronous call up to 7.x, a worker since. */
export function resizeDisk(sim: Context, vm: Vm, args: Record<string, unknown>): void {
  const key = textArg(args, 'disk') ?? ''
  requireDigest(vm, textArg(args, 'digest'))
  requireUnlocked(vm)
  const drive = drives(vm.config).find((candidate) => candidate.key === key)
  if (!drive) throw new Error(`disk '${key}' does not exist`)
  if (drive.cdrom) throw new Error("you can't resize a cdrom")
  if (!drive.storage) throw new Error(`disk '${key}' has no associated volume`)
  const size = newSize(drive.size, textArg(args, 'size') ?? '')
  if (size < drive.size) throw new Error('shrinking disks is not supported')
  const volume = sim.state.volumes.get(drive.volid)
  if (volume) volume.size = size
  vm.config[key] = withProperty(vm.config[key] ?? '', 'size', formatSize(size))
}

/** Disks become base-N-disk-M, which linked clones refer to and which are read-only. */
function makeTemplate(data: ClusterData, vm: Vm): void {
  for (const drive of ownDrives(vm.config)) {
    if (isCloudinit(drive.volid)) continue
    const renamed = drive.volid.replace(/vm-(\d+)-disk-/, 'base-$1-disk-')
    const volume = data.volumes.get(drive.volid)
    if (volume) {
      data.volumes.delete(drive.volid)
      data.volumes.set(renamed, { ...volume, volid: renamed })
    }
    vm.config[drive.key] = (vm.config[drive.key] ?? '').replace(drive.volid, renamed)
  }
  vm.config.template = '1'
}

export const diskJobs: JobsOf = (sim) => ({
  qmdestroy: (work, args) => {
    const vm = jobVm(sim, args, work.task.node)
    return sim.locks.vm(work, vm.vmid, () => destroy(sim, work, vm))
  },
  qmtemplate: (work, args) => {
    const vm = jobVm(sim, args, work.task.node)
    return sim.locks.vm(work, vm.vmid, async () => {
      await work.wait(sim.taskMs / 2)
      makeTemplate(sim.state, vm)
    })
  },
  resize: (work, args) => {
    const vm = jobVm(sim, args, work.task.node)
    return sim.locks.vm(work, vm.vmid, async () => {
      await work.wait(sim.taskMs / 4)
      resizeDisk(sim, vm, args)
    })
  },
})
