import { permissionReader } from '../access/permissions.ts'
import { flag, NODE, optional, optText, text, VMID } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { storageLoad, storageUse } from '../metrics/stats.ts'
import type { Storage, Volume } from '../state/types.ts'
import { onNode, volumeKey } from '../vm/disks.ts'
import { die } from '../wire/errors.ts'
import { NODE_PARAMS } from './shared.ts'

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

function content(call: Call) {
  const { state } = call.sim
  const storage = state.storages.get(call.text('storage'))
  if (!storage) throw die(`storage '${call.text('storage')}' does not exist`)
  if (!onNode(storage, call.node)) {
    throw die(`storage '${storage.id}' is not available on node '${call.node}'`)
  }
  const kind = call.optional('content')
  const vmid = call.optionalNumber('vmid')
  const may = permissionReader(state, call.who)
  const all = may.has(`/storage/${storage.id}`, 'Datastore.Allocate')
  const visible = (volume: Volume) =>
    volume.vmid === undefined ||
    all ||
    may.hasAny(`/vms/${volume.vmid}`, ['VM.Audit', 'VM.Config.Disk', 'VM.Backup'])
  const fits = (volume: Volume) =>
    volume.storage === storage.id &&
    (volume.node === undefined || volume.node === call.node) &&
    (kind === undefined || volume.content === kind) &&
    (vmid === undefined || volume.vmid === vmid)
  return [...state.volumes.values()]
    .filter((volume) => fits(volume) && visible(volume))
    .sort((a, b) => (volumeKey(a) < volumeKey(b) ? -1 : 1))
    .map(({ volid, content: what, format, size, ctime, vmid: owner, parent }) => ({
      volid,
      content: what,
      format,
      size,
      ctime,
      ...(owner === undefined ? {} : { vmid: owner }),
      ...(parent ? { parent } : {}),
    }))
}

export const storageRoutes = [
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
