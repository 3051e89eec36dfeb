import { mayUseArchive, requireArchive } from '../access/archive-access.ts'
import { permissionReader, require } from '../access/permissions.ts'
import { flag, NODE, optInt, optional, optText, text, VMID } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { storageLoad, storageUse } from '../metrics/stats.ts'
import type { Storage, Version, Volume } from '../state/types.ts'
import { atLeast } from '../state/versions.ts'
import { archiveAt } from '../vm/archives.ts'
import { findVolume, onNode, volumeKey } from '../vm/disks.ts'
import { badParameters, die } from '../wire/errors.ts'
import { NODE_PARAMS, startTask } from './shared.ts'

const maySeeStorage = (call: Call) => {
  const may = permissionReader(call.sim.state, call.who)
  return (id: string) =>
    may.hasAny(`/storage/${id}`, ['Datastore.Audit', 'Datastore.AllocateSpace'])
}

function storages(call: Call) {
  const { state } = call.sim
  const use = storageUse(state)
  const maySee = maySeeStorage(call)
  const wanted = call.optional('content')?.split(',')
  const only = call.optional('storage')
  const target = call.optional('target')
  const fits = (storage: Storage) =>
    onNode(storage, call.node) &&
    maySee(storage.id) &&
    (only === undefined || storage.id === only) &&
    (target === undefined || storage.shared || target === call.node) &&
    (wanted === undefined || wanted.some((kind) => storage.content.includes(kind)))
  return [...state.storages.values()].filter(fits).map((storage) => {
    const { used, total, avail } = storageLoad(storage, call.node, use)
    return {
      storage: storage.id,
      type: storage.type,
      content: storage.content.join(','),
      shared: storage.shared ? 1 : 0,
      enabled: 1,
      active: 1,
      used,
      total,
      avail,
      used_fraction: total > 0 ? used / total : 0,
    }
  })
}

function storageHere(call: Call): Storage {
  const storage = call.sim.state.storages.get(call.text('storage'))
  if (!storage) throw die(`storage '${call.text('storage')}' does not exist`)
  if (!onNode(storage, call.node)) {
    throw die(`storage '${storage.id}' is not available on node '${call.node}'`)
  }
  return storage
}

function content(call: Call) {
  const { state } = call.sim
  const storage = storageHere(call)
  const kind = call.optional('content')
  const vmid = call.optionalNumber('vmid')
  const may = permissionReader(state, call.who)
  const all = may.has(`/storage/${storage.id}`, 'Datastore.Allocate')
  const mayUse = mayUseArchive(state, call.who)
  const visible = (volume: Volume) =>
    volume.vmid === undefined ||
    all ||
    (volume.content === 'backup'
      ? mayUse(volume)
      : may.hasAny(`/vms/${volume.vmid}`, ['VM.Audit', 'VM.Config.Disk', 'VM.Backup']))
  const fits = (volume: Volume) =>
    volume.storage === storage.id &&
    (volume.node === undefined || volume.node === call.node) &&
    (kind === undefined || volume.content === kind) &&
    (vmid === undefined || volume.vmid === vmid)
  return [...state.volumes.values()]
    .filter((volume) => fits(volume) && visible(volume))
    .sort((a, b) => (volumeKey(a) < volumeKey(b) ? -1 : 1))
    .map(({ volid, content: what, format, size, ctime, vmid: owner, parent, archive }) => ({
      volid,
      content: what,
      format,
      size,
      ctime,
      ...(owner === undefined ? {} : { vmid: owner }),
      ...(parent ? { parent } : {}),
      // The first line only.
      ...(archive?.notes ? { notes: archive.notes.split('\n')[0] } : {}),
      ...(archive?.isProtected ? { protected: 1 } : {}),
    }))
}

/** The file's name as PVE keeps it, on a storage that takes such files. */
function fileName(call: Call, storage: Storage): string {
  const kind = call.text('content')
  if (storage.type !== 'dir' && storage.type !== 'nfs') {
    throw die(`can't upload to storage type '${storage.type}'`)
  }
  const name = call.text('filename').replace(/[^\w.-]/g, '_')
  if (!/\.(iso|img)$/i.test(name)) throw badParameters({ filename: 'wrong file extension' })
  if (!storage.content.includes(kind)) {
    throw die(`storage '${storage.id}' does not support '${kind}' content`)
  }
  return name
}

/** Replaces a file of the same name without asking. */
function upload(call: Call) {
  const storage = storageHere(call)
  const name = fileName(call, storage)
  return startTask(call, {
    type: 'imgcopy',
    id: '',
    args: { storage: storage.id, name, data: (call.file ?? Buffer.alloc(0)).toString('base64') },
  })
}

/** The node itself asks, from inside its network. */
function download(call: Call) {
  const storage = storageHere(call)
  const name = fileName(call, storage)
  const checksum = call.optional('checksum')
  return startTask(call, {
    type: 'download',
    id: name,
    args: {
      storage: storage.id,
      name,
      url: call.text('url'),
      verifies: call.flag('verify-certificates') ?? true,
      ...(checksum ? { checksum, algorithm: call.text('checksum-algorithm') } : {}),
    },
  })
}

/** Files without a VM are the business of those who may change the storage itself. */
function removeVolume(call: Call) {
  const storage = storageHere(call)
  const given = call.text('volume')
  const volid = given.includes(':') ? given : `${storage.id}:${given}`
  const found = findVolume(call.sim.state, volid, call.node)
  if (found?.content === 'backup') {
    requireArchive(call.sim.state, call.who, archiveAt(call.sim.state, volid, call.node))
  } else require(call.sim.state, call.who, `/storage/${storage.id}`, ['Datastore.Allocate'])
  return startTask(call, {
    type: 'imgdel',
    id: found?.vmid === undefined ? storage.id : `${found.vmid}@${storage.id}`,
    args: { volid, key: found ? volumeKey(found) : '' },
  })
}

const MAY_ADD = { perm: '/storage/{storage}', privileges: ['Datastore.AllocateTemplate'] }

/** Since 8.2 there is a privilege for it; before, who may change the node could. */
const maySurf = (version: Version) => {
  const admin = { perm: '/', privileges: ['Sys.Audit', 'Sys.Modify'] }
  if (!atLeast(version, '8.2')) return admin
  return { or: [admin, { perm: '/nodes/{node}', privileges: ['Sys.AccessNetwork'] }] }
}

const FILE_PARAMS = {
  ...NODE_PARAMS,
  storage: text({ format: 'pve-storage-id' }),
  content: text({
    enum: ['iso', 'vztmpl', 'import'],
    older: { before: '8.0', param: text({ enum: ['iso', 'vztmpl'] }) },
  }),
  filename: text({ maxLength: 255 }),
  checksum: optText({ requires: 'checksum-algorithm' }),
  'checksum-algorithm': optText({
    enum: ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'],
    requires: 'checksum',
  }),
}

export const storageRoutes = [
  route('POST /nodes/{node}/storage/{storage}/upload', {
    permissions: MAY_ADD,
    params: { ...FILE_PARAMS, tmpfilename: optText() },
    handle: upload,
  }),
  route('POST /nodes/{node}/storage/{storage}/download-url', {
    permissions: (version) => ({ and: [MAY_ADD, maySurf(version)] }),
    proxied: true,
    params: {
      ...FILE_PARAMS,
      url: text({ pattern: /^https?:\/\/.*/ }),
      'verify-certificates': flag(),
      compression: optText({ since: '8.0' }),
    },
    handle: download,
  }),
  route('DELETE /nodes/{node}/storage/{storage}/content/{volume}', {
    permissions: 'all',
    proxied: true,
    params: {
      ...NODE_PARAMS,
      storage: optText({ format: 'pve-storage-id' }),
      volume: text(),
      delay: optInt({ minimum: 1, maximum: 30 }),
    },
    handle: removeVolume,
  }),
  route('GET /nodes/{node}/storage', {
    permissions: 'all',
    proxied: true,
    params: {
      ...NODE_PARAMS,
      content: optText(),
      enabled: flag(),
      format: flag(),
      storage: optText({ format: 'pve-storage-id' }),
      target: optional(NODE),
    },
    handle: storages,
  }),
  route('GET /nodes/{node}/storage/{storage}/content', {
    permissions: {
      perm: '/storage/{storage}',
      privileges: ['Datastore.Audit', 'Datastore.AllocateSpace'],
      any: true,
    },
    proxied: true,
    params: {
      ...NODE_PARAMS,
      content: optText(),
      storage: text({ format: 'pve-storage-id' }),
      vmid: optional(VMID),
    },
    handle: content,
  }),
]
