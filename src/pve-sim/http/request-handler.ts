import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../context/context.ts'
import { daemonOf } from '../context/workers.ts'
import { forcedAnswer, isCut, meet } from '../faults/fault-answers.ts'
import { type Fault, spoil, takesEffect } from '../faults/fault-board.ts'
import { type Answer, failure, html, success } from '../wire/answer.ts'
import { decodeRequest, type Incoming } from '../wire/decode.ts'
import { execute, type Find, identify } from './execute.ts'

const API = '/api2/json'

export type RequestLog = { method: string; path: string; status: number }[]
const LOG_KEPT = 1000

type HttpDeps = {
  sim: Context
  find: Find
  requests: RequestLog
  /** /sim/… of a standalone simulator. */
  control?: (incoming: Incoming) => unknown
}

/** Omits the query: it may contain a ticket. */
export function record(requests: RequestLog, method: string, path: string, status: number): void {
  requests.push({ method, path: apiPath(path) ?? path, status })
  if (requests.length > LOG_KEPT) requests.shift()
}

export const splitUrl = (url: string) => {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  return { path, query }
}

export const apiPath = (path: string) =>
  path === API || path.startsWith(`${API}/`) ? path.slice(API.length) || '/' : undefined

/** Runs the call, with faults on the tasks it starts. */
function perform(deps: HttpDeps, incoming: Incoming, faults: Fault[]): unknown {
  const { sim } = deps
  const caller = identify(sim, incoming)
  const result = sim.tasks.watching(
    (task) => spoil(task, faults),
    () => execute(sim, deps.find, caller, incoming),
  )
  if (typeof result === 'string' && faults.some((fault) => fault.kind === 'task-lost')) {
    sim.tasks.forget(result)
  }
  return result
}

async function answerFor(
  deps: HttpDeps,
  request: IncomingMessage,
  faults: Fault[],
): Promise<Answer> {
  const { sim } = deps
  const { path, query } = splitUrl(request.url ?? '/')
  const rel = apiPath(path)
  try {
    if (deps.control && path.startsWith('/sim/')) {
      const params =
        request.method === 'POST'
          ? new Map<string, string>()
          : (await decodeRequest(request, query, sim.state.version)).params
      return success(await deps.control({ request, path, params }))
    }
    if (rel === undefined)
      return html(200, 'OK', 'Simulated Proxmox VE: the API is under /api2/json')
    const decoded = await decodeRequest(request, query, sim.state.version)
    const daemon = daemonOf(request.method ?? 'GET', rel)
    const act = () => perform(deps, { request, path: rel, ...decoded }, faults)
    const result = await sim.workers.run(daemon, act)
    if (request.method !== 'GET') sim.save()
    return success(result)
  } catch (error) {
    return failure(error, sim.state.version)
  }
}

/** Every header of a pveproxy answer. POSTs and errors close the connection. */
function head(request: IncomingMessage, answer: Answer, length: number): Record<string, string> {
  const close = answer.status >= 400 || request.method === 'POST'
  return {
    'Cache-Control': 'max-age=0',
    Connection: close ? 'close, Keep-Alive' : 'Keep-Alive',
    Pragma: 'no-cache',
    Server: 'pve-api-daemon/3.0',
    'Content-Length': String(length),
    ...(answer.type ? { 'Content-Type': answer.type } : {}),
  }
}

/** Sends half an answer: truncated JSON, or a cut connection. */
function sendBroken(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  cut: Fault,
) {
  const whole = Buffer.from(answer.body)
  const half = whole.subarray(0, Math.max(1, whole.length >> 1))
  const truncated = cut.kind === 'truncate'
  const headers = head(request, answer, truncated ? half.length : whole.length)
  response.writeHead(answer.status, answer.reason, headers)
  if (truncated) response.end(half)
  else response.write(half, () => request.socket.destroy())
}

/** Applies faults to a request; undefined if the connection is closed or held. */
async function faulted(deps: HttpDeps, request: IncomingMessage, faults: Fault[]) {
  const { sim } = deps
  if ((await meet(sim, faults, request.socket)) === 'gone') return undefined
  const forced = faults.find((fault) => forcedAnswer(fault))
  const answer = forced && !takesEffect(forced) ? undefined : await answerFor(deps, request, faults)
  return forced ? forcedAnswer(forced) : answer
}

export function requestHandler(deps: HttpDeps) {
  const { sim, requests } = deps
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { path } = splitUrl(request.url ?? '/')
    const method = request.method ?? 'GET'
    const rel = apiPath(request.url ?? '/') ?? path
    const faults = path.startsWith('/sim/') ? [] : sim.faults.strike(method, rel)
    const answer = await faulted(deps, request, faults)
    record(requests, method, path, answer?.status ?? 0)
    if (!answer) return
    // Slows guessing down: every 401 waits three seconds.
    if (answer.status === 401) await sim.timers.pause(sim.authDelayMs)
    const cut = faults.find(isCut)
    if (cut) return sendBroken(request, response, answer, cut)
    const body = Buffer.from(answer.body)
    response.writeHead(answer.status, answer.reason, head(request, answer, body.length)).end(body)
  }
}
