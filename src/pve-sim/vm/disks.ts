import { formatSize, parseProperties, parseSize, withProperty } from '../formats/property-string.ts'
import type { ClusterData, Software, Storage, Vm, Volume } from '../state/types.ts'
import { die } from '../wire/errors.ts'
import { isDiskKey } from './config-schema.ts'

export type Drive = { key: string; volid: string; storage: string; size: number; cdrom: boolean }

export function parseDrive(key: string, value: string): Drive {
  const parts = parseProperties(value, 'file')
  const volid = parts.get('file') ?? parts.get('volume') ?? ''
  const storage = volid.includes(':') ? (volid.split(':')[0] ?? '') : ''
  return {
    key,
    volid,
    storage,
    size: parseSize(parts.get('size') ?? '') ?? 0,
    cdrom: parts.get('media') === 'cdrom',
  }
}

export const drives = (config: Record<string, string>): Drive[] =>
  Object.entries(config)
    .filter(([key]) => isDiskKey(key))
    .map(([key, value]) => parseDrive(key, value))

/** Disks with content of their own: no CD-ROMs, but the cloud-init drive counts. */
export const ownDrives = (config: Record<string, string>) =>
  drives(config).filter((drive) => drive.storage && (!drive.cdrom || isCloudinit(drive.volid)))

export const isCloudinit = (volid: string) => /vm-\d+-cloudinit(\.\w+)?$/.test(volid)

export const bootOrder = (config: Record<string, string>) =>
  /order=([^,]*)/
    .exec(config.boot ?? '')?.[1]
    ?.split(';')
    .filter(Boolean) ?? []

/** The first of `boot: order=` that is no CD-ROM. */
function bootDrive(config: Record<string, string>): string | undefined {
  const usual = [config.bootdisk ?? '', 'scsi0', 'virtio0', 'sata0', 'ide0']
  const key = [...bootOrder(config), ...usual].find(
    (name) => isDiskKey(name) && config[name] && !config[name].includes('media=cdrom'),
  )
  return key && config[key]
}

/** `maxdisk`: the boot disk. */
export const bootDiskSize = (config: Record<string, string>) =>
  parseSize(/(?:^|,)size=([^,]+)/.exec(bootDrive(config) ?? '')?.[1] ?? '') ?? 0

/** The volume that the VM boots from; '' without one. */
export const bootVolume = (config: Record<string, string>) =>
  parseDrive('', bootDrive(config) ?? '').volid

/** The VM in a volume's name; a linked clone's volume names its base first. */
export function ownerOf(volid: string): number | undefined {
  const name = volid.split(/[:/]/).at(-1) ?? ''
  const vmid = /^(?:vm|base)-(\d+)-/.exec(name)?.[1]
  return vmid === undefined ? undefined : Number(vmid)
}

/** Local volumes of VMs have unique names anyway; ISO images exist once per node. */
export const volumeKey = (volume: Pick<Volume, 'volid' | 'node' | 'vmid'>) =>
  volume.vmid === undefined && volume.node ? `${volume.node}/${volume.volid}` : volume.volid

/** A volume as a node sees it. */
export const findVolume = (data: ClusterData, volid: string, node: string): Volume | undefined =>
  data.volumes.get(`${node}/${volid}`) ?? data.volumes.get(volid)

const isFileBased = (storage: Storage) => storage.type === 'dir' || storage.type === 'nfs'

export const onNode = (storage: Storage, node: string) =>
  storage.nodes === undefined || storage.nodes.includes(node)

/** A storage that can hold disks; throws PVE's error otherwise. */
export function imageStorage(data: ClusterData, id: string, node: string): Storage {
  const storage = data.storages.get(id)
  if (!storage) throw die(`storage '${id}' does not exist`)
  if (!onNode(storage, node)) throw die(`storage '${id}' is not available on node '${node}'`)
  if (!storage.content.includes('images')) {
    throw die(`storage '${id}' does not support content-type 'images'`)
  }
  return storage
}

/** `format` matters where disks are files. */
export function volumeName(storage: Storage, vmid: number, name: string, format = 'qcow2'): string {
  const file = isFileBased(storage) ? `${vmid}/${name}.${format}` : name
  return `${storage.id}:${file}`
}

/** The first number that no disk of the VM has, of whatever format. */
export function freeVolume(
  data: ClusterData,
  storage: Storage,
  vmid: number,
  format?: string,
): string {
  for (let n = 0; ; n++) {
    const name = `vm-${vmid}-disk-${n}`
    const isTaken = ['qcow2', 'raw'].some((kind) =>
      data.volumes.has(volumeName(storage, vmid, name, kind)),
    )
    if (!isTaken) return volumeName(storage, vmid, name, format)
  }
}

type NewVolume = {
  storage: Storage
  node: string
  vmid: number
  volid: string
  size: number
  now: number
  parent?: string
  software?: Software | undefined
  format?: string | undefined
}

export function addVolume(data: ClusterData, spec: NewVolume): void {
  const { storage, vmid, volid, size, parent, software, format = 'qcow2' } = spec
  data.volumes.set(volid, {
    volid,
    storage: storage.id,
    vmid,
    content: 'images',
    format: isFileBased(storage) ? format : 'raw',
    size,
    ctime: Math.floor(spec.now / 1000),
    ...(storage.shared ? {} : { node: spec.node }),
    ...(parent ? { parent } : {}),
    ...(software ? { software } : {}),
  })
}

const CLOUDINIT_SIZE = 4 * 1024 ** 2

/** Parts of a request, not of the drive. */
const REQUEST = /^(file|volume|format|import-from|size)=/

/** As PVE prints a drive: its volume first, then the options in order. */
export function printDrive(volid: string, value: string, size?: number): string {
  const options = value.split(',').filter((part) => part.includes('=') && !REQUEST.test(part))
  const all = size === undefined ? options : [...options, `size=${formatSize(size)}`]
  return [volid, ...all.sort()].join(',')
}

type Place = { vm: Vm; key: string; now: number }

/**
 * Creates a disk from a requested value: `local-lvm:32` allocates 32 GiB, `local-lvm:cloudinit`
 * creates the cloud-init drive; a volume that exists gets its real size; anything else is kept as
 * written.
 */
export function allocate(data: ClusterData, { vm, key, now }: Place, value: string): string {
  const { volid: file } = parseDrive('', value)
  const match = /^([^:/]+):(\d+(?:\.\d+)?|cloudinit)$/.exec(file)
  if (!match) return existing(data, vm, value)
  const storage = imageStorage(data, match[1] ?? '', vm.node)
  const base = { storage, node: vm.node, vmid: vm.vmid, now }
  if (match[2] === 'cloudinit') {
    const volid = volumeName(storage, vm.vmid, `vm-${vm.vmid}-cloudinit`)
    requireNewDrive(data, { vm, key, now }, volid)
    addVolume(data, { ...base, volid, size: CLOUDINIT_SIZE })
    return printDrive(volid, withProperty(value, 'media', 'cdrom'))
  }
  const size = Math.round(Number(match[2]) * 1024 ** 3)
  const format = parseProperties(value).get('format')
  const volid = freeVolume(data, storage, vm.vmid, format)
  addVolume(data, { ...base, volid, size, format })
  return printDrive(volid, value, size)
}

/** A VM has one cloud-init drive, and its volume one name. */
function requireNewDrive(data: ClusterData, { vm, key }: Place, volid: string): void {
  const other = drives(vm.config).find((drive) => drive.key !== key && isCloudinit(drive.volid))
  if (other) throw die(`${key} - cloud-init drive is already attached at '${other.key}'`)
  if (data.volumes.has(volid)) throw die(`disk image '${volid}' already exists`)
}

/** A disk that is attached again, or a CD that is inserted. */
function existing(data: ClusterData, vm: Vm, value: string): string {
  const { volid } = parseDrive('', value)
  const isImage = /:iso\//.test(volid)
  if (!isImage && (ownerOf(volid) === undefined || isCloudinit(volid))) return value
  const volume = findVolume(data, volid, vm.node)
  if (!volume) throw die(`volume '${volid}' does not exist`)
  return printDrive(volid, value, volume.size)
}

/** The disks of a VM id. Its backups are not among them: they outlive it. */
export const imagesOf = (data: ClusterData, vmid: number) =>
  [...data.volumes.values()].filter((volume) => volume.vmid === vmid && volume.content === 'images')

/** Linked clones that still need this base volume. */
export const dependants = (data: ClusterData, volid: string) =>
  [...data.volumes.values()].filter((volume) => volume.parent === volid)
