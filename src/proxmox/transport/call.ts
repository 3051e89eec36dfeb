import type { z } from 'zod'
import { Envelope } from '../wire/answers.ts'
import { failureOfAnswer } from '../wire/classify.ts'
import { type ApiPath, encodeForm, type Parameters, path } from '../wire/encoding.ts'
import { type Failure, isProxmoxError, ProxmoxError } from '../wire/errors.ts'
import { type Clock, type Deadline, startDeadline, stopReason, untilAborted } from './clock.ts'
import type { Host, HostList } from './hosts.ts'
import type { HttpAnswer, HttpRequest, Method } from './http.ts'
import { limiter } from './limiter.ts'
import { multipart, type UploadedFile } from './multipart.ts'
import { type Auth, type Credentials, session, TicketAnswer } from './session.ts'

export type CallOptions = {
  signal?: AbortSignal | undefined
  deadlineMs?: number | undefined
  /** Restricts the call to this host (a console's two calls must meet the same one). */
  via?: Host | undefined
}

type Send = CallOptions & { parameters?: Parameters | undefined; file?: UploadedFile | undefined }

/** The interface through which all calls reach the cluster. */
export type Caller = {
  get<S extends z.ZodType>(at: ApiPath, answer: S, options?: Send): Promise<z.output<S>>
  send<S extends z.ZodType>(
    method: Exclude<Method, 'GET'>,
    at: ApiPath,
    answer: S,
    options?: Send,
  ): Promise<z.output<S>>
  credentials(signal: AbortSignal): Promise<Credentials>
  readonly hosts: HostList
  readonly closed: AbortSignal
}

export type Timeouts = {
  connectMs: number
  requestMs: number
  /** For calls that do their work before they answer; pveproxy itself gives up after 30 s. */
  slowMs: number
  /** PVE delays every 401 by 3 s, so this must stay above 8 s on a real cluster. */
  loginMs: number
}

/** pveproxy and pvedaemon have three workers each; more would only queue there (facts §1). */
const IN_FLIGHT_PER_NODE = 3

type Outgoing = {
  method: Method
  at: ApiPath
  parameters: Parameters
  /** Sent with the parameters, as an upload. */
  file?: UploadedFile | undefined
  /** True for all reads, and for signing in. */
  isRepeatable: boolean
}

export function caller(options: {
  auth: Auth
  hosts: HostList
  timeouts: Timeouts
  clock: Clock
  closed: AbortSignal
}): Caller {
  const { hosts, timeouts, clock, closed } = options
  const places = limiter(IN_FLIGHT_PER_NODE)

  const signIn = async (form: Parameters) => {
    const at = path`/access/ticket`
    const request: Outgoing = { method: 'POST', at, parameters: form, isRepeatable: true }
    const deadline = startDeadline(timeouts.loginMs, { closed })
    try {
      const answer = await deliver(hosts, request, { deadline, headers: {} })
      return read(request, answer, TicketAnswer)
    } finally {
      deadline.stop()
    }
  }
  const identity = session(options.auth, signIn, clock)

  const credentials = (signal: AbortSignal) =>
    untilAborted(identity.credentials(), signal, () => stopped('sign-in', signal))

  /** After a 401 nothing was done, so even a write may be repeated once with new credentials. */
  const authorised = async (request: Outgoing, deadline: Deadline, via: Host | undefined) => {
    const first = await credentials(deadline.signal)
    const deliverAs = (who: Credentials) =>
      deliver(hosts, request, { deadline, via, headers: who.headers(request.method) })
    const answer = await deliverAs(first)
    const better = answer.status === 401 ? identity.replace(first) : undefined
    if (better === undefined) return answer
    const second = untilAborted(better, deadline.signal, () => stopped('sign-in', deadline.signal))
    return deliverAs(await second)
  }

  const perform = async <S extends z.ZodType>(request: Outgoing, answer: S, given: Send) => {
    const ms = given.deadlineMs ?? timeouts.requestMs
    const deadline = startDeadline(ms, { aborted: given.signal, closed })
    let leave = () => {}
    try {
      const key = request.at.node ?? hosts.inOrder()[0]?.address.node ?? ''
      leave = await places.acquire(key, deadline.signal).catch(() => {
        throw stopped(nameOf(request), deadline.signal)
      })
      return read(request, await authorised(request, deadline, given.via), answer)
    } finally {
      leave()
      deadline.stop()
    }
  }

  return {
    get: (at, answer, given = {}) => perform(outgoing('GET', at, given), answer, given),
    send: (method, at, answer, given = {}) => perform(outgoing(method, at, given), answer, given),
    credentials,
    hosts,
    closed,
  }
}

const outgoing = (method: Method, at: ApiPath, { parameters = {}, file }: Send): Outgoing => ({
  method,
  at,
  parameters,
  file,
  isRepeatable: method === 'GET',
})

type Delivery = { deadline: Deadline; headers: Record<string, string>; via?: Host | undefined }

/**
 * Sends to the first host that accepts. A read may be repeated after any missing answer; a write
 * moves on only after failures that prove it was never sent (`unreachable`, `tls`), because a
 * failure after sending arrives here as `unknown-outcome`.
 */
async function deliver(hosts: HostList, request: Outgoing, delivery: Delivery) {
  const { deadline, via, headers } = delivery
  const { isRepeatable } = request
  const queue = via ? [via] : hosts.inOrder()
  let mayRepeat = isRepeatable
  let worst: ProxmoxError | undefined
  for (let host = queue.shift(); host; host = queue.shift()) {
    try {
      const answer = await attempt(host, wire(request, headers), {
        deadline,
        share: isRepeatable ? Math.min(2, queue.length + 1) : 1,
      })
      // 59x: this entry node cannot reach the target node; another one may.
      if (isRepeatable && answer.status >= 595 && queue.length > 0) continue
      hosts.worked(host)
      return answer
    } catch (error) {
      if (!isProxmoxError(error) || !maySendElsewhere(error, deadline)) throw error
      if (mayRepeat && isDisconnect(error.failure)) {
        mayRepeat = false
        queue.unshift(host)
        continue
      }
      hosts.failed(host, error)
      // "The certificate changed" says more than "the other node is off".
      if (worst?.kind !== 'tls') worst = error
    }
  }
  throw worst ?? stopped(nameOf(request), deadline.signal)
}

async function attempt(
  host: Host,
  request: HttpRequest,
  { deadline, share }: { deadline: Deadline; share: number },
): Promise<HttpAnswer> {
  if (share === 1) return host.send(request, deadline.signal)
  const part = startDeadline(deadline.remainingMs() / share, { aborted: deadline.signal })
  try {
    return await host.send(request, part.signal)
  } finally {
    part.stop()
  }
}

function maySendElsewhere(error: ProxmoxError, deadline: Deadline): boolean {
  if (deadline.signal.aborted) return false
  return error.kind === 'unreachable' || error.kind === 'tls'
}

const isDisconnect = (failure: Failure) =>
  failure.kind === 'unreachable' && failure.reason === 'disconnected'

/** GET and DELETE carry parameters in the query; a body there is a 501 (facts §1). */
function wire(request: Outgoing, headers: Record<string, string>): HttpRequest {
  const { method, at, isRepeatable } = request
  const form = encodeForm(request.parameters)
  const target = `/api2/json${at.path}`
  if (method === 'GET' || method === 'DELETE') {
    return {
      method,
      target: form ? `${target}?${form}` : target,
      headers,
      body: undefined,
      isRepeatable,
    }
  }
  if (request.file) {
    const { type, body } = multipart(request.parameters, request.file)
    return { method, target, headers: { ...headers, 'content-type': type }, body, isRepeatable }
  }
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method, target, headers: { ...headers, ...type }, body: form, isRepeatable }
}

const nameOf = ({ method, at }: Outgoing) => `${method} ${at.path}`

function stopped(what: string, signal: AbortSignal): ProxmoxError {
  const reason = stopReason(signal)
  return new ProxmoxError({ kind: 'unreachable', reason }, `${what}: ${reason} before it was sent`)
}

function read<S extends z.ZodType>(request: Outgoing, answer: HttpAnswer, schema: S): z.output<S> {
  const envelope = envelopeOf(answer.body)
  if (answer.status < 200 || answer.status > 299) throw refusal(request, answer, envelope)
  const parsed = schema.safeParse(envelope?.data)
  if (envelope !== undefined && parsed.success) return parsed.data
  throw unreadable(request, 'an answer we cannot read', parsed.error)
}

function envelopeOf(body: string): Envelope | undefined {
  try {
    return Envelope.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}

function refusal(request: Outgoing, answer: HttpAnswer, envelope: Envelope | undefined) {
  const { status, reason } = answer
  const message = envelope?.message?.trim() || reason || String(status)
  const errors = envelope?.errors
  const { isRepeatable } = request
  const failure = failureOfAnswer({ status, message, errors, isRepeatable })
  // A 5xx that is not PVE's own JSON comes from a proxy in between, which cannot know the outcome.
  const isFromProxy = envelope === undefined && failure.kind === 'refused'
  if (isFromProxy) return unreadable(request, `${status} ${reason}`)
  const details = Object.entries(errors ?? {}).map(([name, text]) => `${name}: ${text.trim()}`)
  return new ProxmoxError(failure, `${nameOf(request)}: ${[message, ...details].join(' ')}`)
}

function unreadable(request: Outgoing, message: string, cause?: unknown): ProxmoxError {
  const failure: Failure = request.isRepeatable
    ? { kind: 'bad-answer' }
    : { kind: 'unknown-outcome', upid: undefined }
  return new ProxmoxError(failure, `${nameOf(request)}: ${message}`, { cause })
}
