import { type Host, sendTo, tokenHeader } from './harness.ts'
import type { Recorded } from './recorded.ts'

/** Who asks, each with the headers that prove it. */
export type Callers = {
  /** A ticket. */
  root: Record<string, string>
  token: string
  viewer: string
}

export type Player = {
  host: Host
  callers: Callers
  /** Waits for the end of a task; returns its exit status. */
  ended(upid: string): Promise<string>
  logOf(upid: string): Promise<string[]>
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

/** Another at each time: only that they are there, and of which kind, is held. */
const VOLATILE = /^(digest|snaptime|meta|smbios1|vmgenid|ostype|cpu|scsihw)$/

/** Proxmox lists snapshots in no order. */
const byName = (a: unknown, b: unknown) =>
  (a as { name?: string }).name?.localeCompare((b as { name?: string }).name ?? '') ?? 0

function wholeOf(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(wholeOf).sort(byName)
  if (typeof data !== 'object' || data === null) return data
  const entries = Object.entries(data).map(([key, value]): [string, unknown] => [
    key,
    VOLATILE.test(key) ? kindOf(value) : wholeOf(value),
  ])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Lines of the tools that a storage of files calls; the simulator has no files. */
const OF_FILES = /Formatting '|\/var\/lib\/vz|sch_htb|^$/

const headersOf = ({ root, token, viewer }: Callers, { as, method, csrf }: Recorded) => {
  const { csrfpreventiontoken = '', ...cookie } = root
  const ticket = csrf === false || method === 'GET' ? cookie : { ...cookie, csrfpreventiontoken }
  if (as === 'root') return ticket
  if (as === 'token') return tokenHeader('probe@pve!tt', token)
  return as === 'viewer' ? tokenHeader('viewing@pve!tt', viewer) : {}
}

/** Plays recorded requests, one after the other, to Proxmox VE or to its simulator. */
export function replaying({ host, callers, ended, logOf }: Player) {
  let digest = ''

  /** Sends one recorded request and returns the answer in the same form. */
  return async (request: Recorded): Promise<Recorded> => {
    const { label, method, path, as, body, json, type, csrf } = request
    const who = headersOf(callers, request)
    const sentAs = json ? 'application/json' : type
    const headers = sentAs === undefined ? who : { ...who, 'content-type': sentAs }
    const filled = (text: string) => text.replaceAll('{digest}', digest)
    const reply = await sendTo(host, method, filled(path), {
      headers,
      ...(body === undefined ? {} : { text: filled(body) }),
    })
    const { data, errors, message } = reply.body
    const isJson = reply.headers['content-type']?.startsWith('application/json') ?? false
    const upid = typeof data === 'string' && data.startsWith('UPID:') ? data : undefined
    const plain = !isJson && reply.text !== ''
    digest = data?.digest ?? data?.[0]?.digest ?? digest
    const task = request.task !== undefined && upid ? withoutUpids(await ended(upid)) : undefined
    const lines = request.log !== undefined && upid ? await logOf(upid) : []
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
      ...(request.whole === undefined ? {} : { whole: wholeOf(data) }),
      ...(task === undefined ? {} : { task }),
      ...(request.log ? { log: lines.filter((line) => !OF_FILES.test(line)) } : {}),
    }
  }
}
