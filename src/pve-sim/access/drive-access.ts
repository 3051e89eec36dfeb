import { parseProperties } from '../formats/property-string.ts'
import type { ClusterData, Vm } from '../state/types.ts'
import { atLeast } from '../state/versions.ts'
import { isDiskKey } from '../vm/config-schema.ts'
import { ownerOf, parseDrive } from '../vm/disks.ts'
import { isUnusedKey } from '../vm/drive-changes.ts'
import { badParameters, die } from '../wire/errors.ts'
import { type Actor, privileges, require, requireAny } from './permissions.ts'

const NEW_DISK = /^([^:/\s]+):(\d+(?:\.\d+)?)$/

const SYNTAX = "'import-from' requires special syntax - use <storage ID>:0,import-from=<source>"

type Settings = Record<string, string>

const diskEntries = (set: Settings) => Object.entries(set).filter(([key]) => isDiskKey(key))

/** Refused before authorisation. */
export function requireDriveSyntax(set: Settings): void {
  for (const [key, value] of diskEntries(set)) {
    const { volid, cdrom } = parseDrive(key, value)
    if (/:iso\//.test(volid) && !cdrom) {
      throw badParameters({ [key]: "explicit 'media=cdrom' is required for iso images" })
    }
    if (!parseProperties(value).has('import-from')) continue
    const size = NEW_DISK.exec(parseDrive(key, value).volid)?.[2]
    if (Number(size) !== 0) throw badParameters({ [key]: SYNTAX })
  }
}

type Asking = { data: ClusterData; who: Actor; vm: Vm }

function storageOf(data: ClusterData, id: string) {
  const storage = data.storages.get(id)
  if (!storage) throw die(`storage '${id}' does not exist`)
  return storage
}

/** A CD's storage has to be seen. A disk of another VM: who may change that VM's disks may take it. */
function requireVolume({ data, who, vm }: Asking, volid: string): void {
  const owner = ownerOf(volid)
  const at = `/storage/${volid.split(':')[0]}`
  if (/:iso\//.test(volid)) {
    requireAny(data, who, at, ['Datastore.AllocateSpace', 'Datastore.Audit'])
  }
  if (owner === undefined || owner === vm.vmid) return
  if (privileges(data, who, at).has('Datastore.Allocate')) return
  require(data, who, at, ['Datastore.Audit'])
  require(data, who, `/vms/${owner}`, ['VM.Config.Disk'])
}

/** Copying a VM's disk is cloning that VM. */
function requireSource(asking: Asking, key: string, source: string): void {
  const { data, who } = asking
  if (source.startsWith('/')) {
    if (who.authid === 'root@pam') return
    const line = atLeast(data.version, '9.0') ? 651 : 581
    // Perl says where, because the sentence lacks its newline.
    const place = `/usr/share/perl5/PVE/Storage.pm line ${line}`
    throw die(`Only root can pass arbitrary filesystem paths. at ${place}.`)
  }
  storageOf(data, source.split(':')[0] ?? '')
  const owner = ownerOf(source)
  if (owner === undefined) {
    const kind = /:(\w+)\//.exec(source)?.[1] ?? 'images'
    const words = atLeast(data.version, '8.3') ? "needs to be 'images' or 'import'" : 'not an image'
    throw badParameters({ [key]: `${source} has wrong type '${kind}' - ${words}` })
  }
  require(data, who, `/vms/${owner}`, ['VM.Clone'])
}

/** What a caller needs besides the privilege to change the VM: space, and the sources of copies. */
export function requireDrives(asking: Asking, set: Settings): void {
  const { data, who } = asking
  for (const [key, value] of diskEntries(set)) {
    const { volid } = parseDrive(key, value)
    const wanted = NEW_DISK.exec(volid)?.[1] ?? /^([^:/]+):cloudinit$/.exec(volid)?.[1]
    if (wanted !== undefined) {
      require(data, who, `/storage/${wanted}`, ['Datastore.AllocateSpace'])
      if (!storageOf(data, wanted).content.includes('images')) {
        throw badParameters({ storage: `storage '${wanted}' does not support vm images` })
      }
    } else requireVolume(asking, volid)
    const source = parseProperties(value).get('import-from')
    if (source !== undefined) requireSource(asking, key, source)
  }
  for (const [key, volid] of Object.entries(set)) {
    if (isUnusedKey(key)) requireVolume(asking, volid)
  }
}
