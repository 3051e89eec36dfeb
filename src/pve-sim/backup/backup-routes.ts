import { requireArchive } from '../access/archive-access.ts'
import { require } from '../access/permissions.ts'
import { flag, NODE, optInt, optional, optText, type Params, text } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { NODE_PARAMS, startTask } from '../routes/shared.ts'
import type { Version } from '../state/types.ts'
import { atLeast } from '../state/versions.ts'
import { archiveAt, archivesOf } from '../vm/archives.ts'
import { onNode } from '../vm/disks.ts'
import { badParameters, die } from '../wire/errors.ts'

const ROOT_ONLY = ['tmpdir', 'dumpdir', 'script', 'job-id']
const FOR_ADMINISTRATORS = ['bwlimit', 'ionice', 'performance']

function requireBackupStorage(call: Call): string {
  const { state } = call.sim
  const id = call.optional('storage') ?? 'local'
  const storage = state.storages.get(id)
  if (!storage)
    throw die(`could not get storage information for '${id}': storage '${id}' does not exist`)
  if (!storage.content.includes('backup')) {
    throw die(
      `could not get storage information for '${id}': can't use storage '${id}' for backups - wrong content type`,
    )
  }
  if (!onNode(storage, call.node)) {
    throw die(
      `could not get storage information for '${id}': storage '${id}' is not available on node '${call.node}'`,
    )
  }
  require(state, call.who, `/storage/${id}`, ['Datastore.AllocateSpace'])
  if (call.all.has('prune-backups') || call.all.has('maxfiles')) {
    require(state, call.who, `/storage/${id}`, ['Datastore.Allocate'])
  }
  return id
}

function requireOptions(call: Call): void {
  if (call.who.authid !== 'root@pam') {
    for (const option of ROOT_ONLY) {
      if (call.all.has(option)) {
        throw badParameters({ [option]: 'Only root may set this option.' })
      }
    }
  }
  if (FOR_ADMINISTRATORS.some((option) => call.all.has(option))) {
    require(call.sim.state, call.who, '/', ['Sys.Modify'])
  }
}

/** A VM that is on another node is silently left out; without any other the answer is "OK". */
function vzdump(call: Call) {
  const { state } = call.sim
  requireOptions(call)
  const storage = requireBackupStorage(call)
  const given = (call.optional('vmid') ?? '').split(/[,;\s]+/).filter(Boolean)
  if (given.length === 0)
    throw badParameters({ vmid: 'property is missing and it is not optional' })
  const here = given.filter((id) => {
    const node = state.vms.get(Number(id))?.node
    return node === undefined || node === call.node
  })
  if (here.length === 0) return 'OK'
  const notes = call.optional('notes-template')
  const args = {
    vmids: here.join(','),
    storage,
    mode: call.optional('mode') ?? 'snapshot',
    compress: call.optional('compress') ?? '0',
    remove: call.flag('remove') ?? true,
    protected: call.flag('protected') === true,
    lockwait: call.optionalNumber('lockwait') ?? 180,
    ...(notes === undefined ? {} : { notes }),
  }
  return startTask(call, { type: 'vzdump', id: here.length === 1 ? (here[0] ?? '') : '', args })
}

function archiveOf(call: Call, name: 'volume') {
  const given = call.text(name)
  const storage = call.optional('storage')
  const volid = given.includes(':') && !given.startsWith('backup/') ? given : `${storage}:${given}`
  const found = archiveAt(call.sim.state, volid, call.node)
  requireArchive(call.sim.state, call.who, found)
  return found
}

/** Where administrators of the storage do not set a limit of their own. */
const MOST_PROTECTED = 5

function change(call: Call) {
  const { state } = call.sim
  const volume = archiveOf(call, 'volume')
  const { archive, storage, vmid } = volume
  const isProtected = call.flag('protected')
  if (isProtected && !archive.isProtected) {
    const already = archivesOf(state, storage, vmid).filter((one) => one.archive.isProtected)
    if (already.length >= MOST_PROTECTED) {
      require(state, call.who, `/storage/${storage}`, ['Datastore.Allocate'])
    }
  }
  if (isProtected !== undefined) archive.isProtected = isProtected
  if (call.all.has('notes')) archive.notes = call.text('notes')
  return null
}

function extractConfig(call: Call): string {
  const { archive } = archiveOf(call, 'volume')
  const { description, ...config } = archive.config
  const notes = (description ?? '').split('\n').filter(Boolean)
  const lines = Object.entries(config).map(([key, value]) => `${key}: ${value}`)
  return [...notes.map((line) => `#${encodeURIComponent(line)}`), ...lines, ''].join('\n')
}

const VZDUMP: Params = {
  node: optional(NODE),
  all: flag(),
  bwlimit: optInt({ minimum: 0 }),
  compress: optText({ enum: ['0', '1', 'gzip', 'lzo', 'zstd'] }),
  dumpdir: optText(),
  exclude: optText(),
  'exclude-path': optional({
    type: 'array',
    older: { before: '8.0', param: { type: 'string' } },
  }),
  fleecing: optText({ since: '8.2' }),
  ionice: optInt({ minimum: 0, maximum: 8 }),
  'job-id': optText({ maxLength: 50, pattern: /^\S+$/, since: '8.4' }),
  lockwait: optInt({ minimum: 0 }),
  mailnotification: optText({ enum: ['always', 'failure'] }),
  mailto: optText(),
  maxfiles: optInt({ minimum: 1 }),
  mode: optText({ enum: ['snapshot', 'suspend', 'stop'] }),
  'notes-template': optText({ maxLength: 1024, requires: 'storage' }),
  'notification-mode': optText({
    enum: ['auto', 'legacy-sendmail', 'notification-system'],
    since: '8.2',
  }),
  'pbs-change-detection-mode': optText({ enum: ['legacy', 'data', 'metadata'], since: '8.4' }),
  performance: optText(),
  pigz: optInt(),
  pool: optText(),
  protected: flag({ requires: 'storage' }),
  'prune-backups': optText(),
  quiet: flag(),
  remove: flag(),
  script: optText(),
  stdexcludes: flag(),
  stdout: flag(),
  stop: flag(),
  stopwait: optInt({ minimum: 0 }),
  storage: optText({ format: 'pve-storage-id' }),
  tmpdir: optText(),
  vmid: optText(),
  zstd: optInt(),
}

/** Known for two releases only. */
const OLD_NOTIFICATIONS: Params = {
  'notification-policy': optText({ enum: ['always', 'failure', 'never'] }),
  'notification-target': optText({ format: 'pve-configid' }),
}

const hasOldNotifications = (version: Version) =>
  atLeast(version, '8.2') && !atLeast(version, '9.0')

export const backupRoutes = [
  route('POST /nodes/{node}/vzdump', {
    permissions: 'all',
    proxied: true,
    params: (version) =>
      hasOldNotifications(version) ? { ...VZDUMP, ...OLD_NOTIFICATIONS } : VZDUMP,
    handle: vzdump,
  }),
  route('GET /nodes/{node}/vzdump/extractconfig', {
    permissions: 'all',
    proxied: true,
    params: { ...NODE_PARAMS, volume: text() },
    handle: extractConfig,
  }),
  route('PUT /nodes/{node}/storage/{storage}/content/{volume}', {
    permissions: 'all',
    proxied: true,
    params: {
      ...NODE_PARAMS,
      storage: optText({ format: 'pve-storage-id' }),
      volume: text(),
      notes: optText(),
      protected: flag(),
    },
    handle: change,
  }),
]
