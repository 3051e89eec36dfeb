import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { SimOptions } from '../options.ts'
import { type Sim, startSim } from '../sim.ts'

/** Raw HTTPS, deliberately not our own client: the simulator is judged by what is on the wire. */

/** An answer of any shape, still typed: every property is Json again. */
type Json = string & { [key: string]: Json } & Json[]

type Reply = {
  status: number
  reason: string
  headers: IncomingHttpHeaders
  text: string
  data: Json
  body: { data: Json; errors?: Record<string, string>; message?: string; total?: number }
}

type Send = {
  form?: Record<string, string>
  text?: string
  headers?: Record<string, string>
}

function parse(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return { data: undefined }
  }
}

/** What answers: a simulator, or a real host at the same kind of address. */
export type Host = Pick<Sim, 'host' | 'port' | 'caPem'>

export function sendTo(
  { host, port, caPem }: Host,
  method: string,
  path: string,
  send: Send = {},
): Promise<Reply> {
  const form = send.form ? new URLSearchParams(send.form).toString() : undefined
  const payload = send.text ?? form
  const headers: Record<string, string> = { ...send.headers }
  if (payload !== undefined) {
    headers['content-type'] ??= 'application/x-www-form-urlencoded'
    headers['content-length'] = String(Buffer.byteLength(payload))
  }
  const url = path.startsWith('/sim/') ? path : `/api2/json${path}`
  return new Promise((resolve, reject) => {
    const options = { host, port, method, path: url, headers, agent: false }
    const outgoing = request({ ...options, ca: caPem }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const body = parse(text)
        const { statusCode: status = 0, statusMessage: reason = '' } = response
        resolve({ status, reason, headers: response.headers, text, body, data: body.data })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
}

export const tokenHeader = (id: string, secret = '00000000-0000-4000-8000-000000000000') => ({
  authorization: `PVEAPIToken=${id}=${secret}`,
})

/** A simulator with short delays and a caller with the administrator's token. */
export async function harness(options: SimOptions = {}) {
  const sim = await startSim({ taskMs: 8, authDelayMs: 0, lagMs: 0, ...options })
  const admin = tokenHeader(sim.apiToken.id, sim.apiToken.secret)
  const as =
    (headers: Record<string, string>) =>
    (method: string, path: string, form?: Record<string, string>) =>
      sendTo(sim, method, path, { headers, ...(form ? { form } : {}) })
  const call = as(admin)

  async function status(upid: string) {
    const node = upid.split(':')[1]
    return (await call('GET', `/nodes/${node}/tasks/${encodeURIComponent(upid)}/status`)).data
  }

  /** Polls as a client would, until the task is over; returns its exit status. */
  async function ended(upid: string): Promise<string> {
    for (;;) {
      const task = await status(upid)
      if (task.status === 'stopped') return task.exitstatus ?? ''
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  async function logOf(upid: string): Promise<string[]> {
    const node = upid.split(':')[1]
    const path = `/nodes/${node}/tasks/${encodeURIComponent(upid)}/log?limit=500`
    return (await call('GET', path)).data.map(({ t }) => String(t))
  }

  return {
    sim,
    admin,
    as,
    call,
    status,
    ended,
    logOf,
    send: (method: string, path: string, send: Send = {}) =>
      sendTo(sim, method, path, { ...send, headers: { ...admin, ...send.headers } }),
    /** Calls, expects a UPID, and waits for the task to end. */
    async run(method: string, path: string, form: Record<string, string> = {}): Promise<string> {
      const reply = await call(method, path, method === 'DELETE' ? undefined : form)
      if (typeof reply.data !== 'string') throw new Error(`${reply.status} ${reply.reason}`)
      return ended(reply.data)
    },
    async until(check: () => boolean | Promise<boolean>): Promise<void> {
      while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 2))
    },
    async ticket(username: string, password: string) {
      const { data } = await sendTo(sim, 'POST', '/access/ticket', { form: { username, password } })
      return {
        cookie: `PVEAuthCookie=${encodeURIComponent(data.ticket ?? '')}`,
        csrfpreventiontoken: data.CSRFPreventionToken ?? '',
      }
    },
    close: () => sim.close(),
  }
}

export type Harness = Awaited<ReturnType<typeof harness>>
