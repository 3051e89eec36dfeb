import { readFileSync } from 'node:fs'
import type { ClusterState } from '../state/cluster-state.ts'
import type { Version } from '../state/types.ts'
import { type Harness, sendTo, tokenHeader } from './harness.ts'

/** One request to Proxmox VE itself and its answer, recorded by us. */
export type Recorded = {
  label: string
  method: string
  path: string
  as: 'root' | 'token' | 'none'
  /** The body as sent. */
  body?: string
  /** Sent as JSON. */
  json?: boolean
  /** Sent as this type. */
  type?: string
  /** false: without the CSRF token. */
  csrf?: boolean
  status: number
  reason: string
  errors?: Record<string, string>
  message?: string
  text?: string
  /** The type of `data`, and of each of its keys. */
  data?: string
  keys?: Record<string, string>
  /** Some values of `data`, null where absent; a text that is all of it as `data`. */
  values?: Record<string, string | null>
  /** The exit status of the task. */
  task?: string
}

/** Two recordings, one after the other. */
export const recordedAnswers = (release: '8.4' | '9.2'): Recorded[] =>
  [release, `${release}-user-data`].flatMap((name) => {
    const text = readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')
    return (JSON.parse(text) as { pve: string; answers: Recorded[] }).answers
  })

const SECRET = '00000000-0000-4000-8000-000000000000'
const OPERATOR =
  'VM.Allocate,VM.Audit,VM.PowerMgmt,VM.Console,VM.Config.Disk,VM.Config.CPU,VM.Config.Memory,VM.Config.Network,VM.Config.Options,VM.Config.Cloudinit,VM.Config.HWType,VM.Config.CDROM,VM.Clone'

/** Prepares a simulated host like the recorded one: its account, storages and template. */
export function prepareHost(state: ClusterState, version: Version): void {
  const agent = version === '9.1' ? 'VM.GuestAgent.Audit' : 'VM.Monitor'
  state.addRole('ProbeOp', [...OPERATOR.split(','), agent])
  state.addRole('ProbeStore', ['Datastore.AllocateSpace', 'Datastore.Audit'])
  state.addRole('ProbeNet', ['SDN.Use'])
  state.addRole('ProbeAudit', ['Sys.Audit'])
  state.addUser({ userid: 'probe@pve', password: 'probe-pass-1' })
  state.addToken({ userid: 'probe@pve', tokenid: 'tt', privsep: false, secret: SECRET })
  state.pools.set('probe', { poolid: 'probe', vms: [], storages: [] })
  const grants = [
    ['/pool/probe', 'ProbeOp'],
    ['/storage/local-lvm', 'ProbeStore'],
    ['/sdn/zones/localnetwork/vmbr0', 'ProbeNet'],
    ['/', 'ProbeAudit'],
  ] as const
  for (const [path, roleid] of grants) {
    state.setAcl({ path, type: 'user', ugid: 'probe@pve', roleid })
  }
  for (const storage of state.storages.values()) {
    storage.type = 'dir'
    storage.content = [...new Set([...storage.content, 'images'])]
  }
  for (const node of state.nodes.values()) {
    node.bridges = [{ name: 'vmbr0', ports: '', isVlanAware: false }]
  }
  const template = state.vms.get(9004)
  const old = template?.config.scsi0?.split(',')[0] ?? ''
  const volume = state.volumes.get(old)
  if (!template || !volume) throw new Error('the demo cluster has no template 9004')
  const volid = 'local-lvm:9004/base-9004-disk-0.qcow2'
  state.volumes.delete(old)
  state.volumes.set(volid, { ...volume, volid, storage: 'local-lvm', size: 96 * 1024 ** 2 })
  Object.assign(template.config, {
    scsi0: `${volid},size=96M`,
    boot: 'order=scsi0',
    serial0: 'socket',
    vga: 'std',
    agent: '1',
    net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr0',
  })
  delete template.config.tags
}

const kindOf = (value: unknown) => {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value
}

const kindsOf = (value: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, kindOf(item)])
      .sort(),
  )

const valuesOf = (data: unknown, keys: string[]) => {
  const values = (typeof data === 'string' ? { data } : data) as Record<string, string>
  return Object.fromEntries(keys.map((key) => [key, values[key] ?? null]))
}

const withoutUpids = (text: string) => text.replace(/UPID:[^ "]*/g, 'UPID')

/** Sends one recorded request and returns the answer in the same form. */
export async function replay(
  pve: Harness,
  root: Record<string, string>,
  request: Recorded,
): Promise<Recorded> {
  const { label, method, path, as, body, json, type, csrf } = request
  const { csrfpreventiontoken = '', ...cookie } = root
  const ticket = csrf === false || method === 'GET' ? cookie : { ...cookie, csrfpreventiontoken }
  const who = as === 'root' ? ticket : as === 'token' ? tokenHeader('probe@pve!tt', SECRET) : {}
  const sentAs = json ? 'application/json' : type
  const headers = sentAs === undefined ? who : { ...who, 'content-type': sentAs }
  const reply = await sendTo(pve.sim, method, path, {
    headers,
    ...(body === undefined ? {} : { text: body }),
  })
  const { data, errors, message } = reply.body
  const isJson = reply.headers['content-type']?.startsWith('application/json') ?? false
  const upid = typeof data === 'string' && data.startsWith('UPID:') ? data : undefined
  const plain = !isJson && reply.text !== ''
  return {
    ...{ label, method, path, as },
    ...(body === undefined ? {} : { body }),
    ...(json ? { json } : {}),
    ...(type === undefined ? {} : { type }),
    ...(csrf === undefined ? {} : { csrf }),
    status: reply.status,
    reason: withoutUpids(reply.reason),
    ...(errors ? { errors } : {}),
    ...(message === undefined ? {} : { message: withoutUpids(message) }),
    ...(plain ? { text: reply.text } : {}),
    ...(isJson ? { data: kindOf(data) } : {}),
    ...(request.keys ? { keys: kindsOf(data) } : {}),
    ...(request.values ? { values: valuesOf(data, Object.keys(request.values)) } : {}),
    ...(request.task !== undefined && upid ? { task: withoutUpids(await pve.ended(upid)) } : {}),
  }
}
