import { parseProperties } from '../formats/property-string.ts'
import type { Archive, ClusterData, Storage, Volume } from '../state/types.ts'
import { die } from '../wire/errors.ts'
import { type Drive, drives, findVolume, isCloudinit } from './disks.ts'

/** Disks whose bytes a backup contains: no CDs, no cloud-init drive, none with `backup=0`. */
export const savedDrives = (config: Record<string, string>): Drive[] =>
  drives(config).filter(
    ({ key, storage, cdrom, volid }) =>
      storage &&
      !cdrom &&
      !isCloudinit(volid) &&
      parseProperties(config[key] ?? '', 'file').get('backup') !== '0',
  )

const ENDS: Record<string, string> = { '1': '.lzo', gzip: '.gz', lzo: '.lzo', zstd: '.zst' }

type Named = { storage: Storage; vmid: number; at: Date; compress: string }

/** A backup server names by kind, id and time; a directory has a file. */
function volidOf({ storage, vmid, at, compress }: Named): string {
  const time = `${at.toISOString().slice(0, 19)}Z`
  if (storage.type === 'pbs') return `${storage.id}:backup/vm/${vmid}/${time}`
  const stamp = time.slice(0, 19).replaceAll('-', '_').replaceAll(':', '_').replace('T', '-')
  return `${storage.id}:backup/vzdump-qemu-${vmid}-${stamp}.vma${ENDS[compress] ?? ''}`
}

/** Two jobs on one VM never begin in the same second of a real cluster. */
export function freeVolid(data: ClusterData, named: Named): string {
  const volid = volidOf(named)
  if (!data.volumes.has(volid)) return volid
  return freeVolid(data, { ...named, at: new Date(named.at.getTime() + 1000) })
}

/** Where the bytes of a disk are kept for an archive, if VMs are real processes. */
export function diskInArchive(volid: string, key: string): string {
  const [storage = '', ...rest] = volid.split(':')
  return `${storage}:archive-${rest.join('-').replaceAll(/[/.]/g, '-')}@${key}`
}

export type ArchiveVolume = Volume & { archive: Archive; vmid: number }

const isArchive = (volume: Volume | undefined): volume is ArchiveVolume =>
  volume?.archive !== undefined && volume.vmid !== undefined

/** A backup as a node sees it. */
export function archiveAt(data: ClusterData, volid: string, node: string): ArchiveVolume {
  const storage = data.storages.get(volid.split(':')[0] ?? '')
  if (!storage) throw die(`storage '${volid.split(':')[0]}' does not exist`)
  const found = findVolume(data, volid, node)
  const isHere = found?.node === undefined || found.node === node
  if (!isArchive(found) || !isHere) throw die(`volume '${volid}' does not exist`)
  return found
}

export const archivesOf = (data: ClusterData, storage: string, vmid: number): ArchiveVolume[] =>
  [...data.volumes.values()]
    .filter(isArchive)
    .filter((volume) => volume.storage === storage && volume.vmid === vmid)
    .toSorted((a, b) => a.ctime - b.ctime)
