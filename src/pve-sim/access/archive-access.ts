import type { ClusterData, Volume } from '../state/types.ts'
import type { ArchiveVolume } from '../vm/archives.ts'
import { type Actor, permissionReader, require } from './permissions.ts'

/** Those who administer the storage, and those who may back up the VM and fill the storage. */
export function mayUseArchive(data: ClusterData, who: Actor) {
  const may = permissionReader(data, who)
  return ({ storage, vmid }: Pick<Volume, 'storage' | 'vmid'>) =>
    may.has(`/storage/${storage}`, 'Datastore.Allocate') ||
    (may.has(`/storage/${storage}`, 'Datastore.AllocateSpace') &&
      may.has(`/vms/${vmid}`, 'VM.Backup'))
}

export function requireArchive(data: ClusterData, who: Actor, volume: ArchiveVolume): void {
  if (mayUseArchive(data, who)(volume)) return
  require(data, who, `/storage/${volume.storage}`, ['Datastore.AllocateSpace'])
  require(data, who, `/vms/${volume.vmid}`, ['VM.Backup'])
}
