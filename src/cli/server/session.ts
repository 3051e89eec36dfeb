import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Args, type Input, pathOf, searchOf } from '#shared/api/parts/request.ts'
import type { ResponseOf, Route } from '#shared/api/parts/route.ts'
import { type Exit, Failure } from '../terminal/failure.ts'
import { plain } from '../terminal/width.ts'
import { isOnion, type SocksProxy } from './address.ts'
import { type Answer, ask } from './connection.ts'

/** After a lost answer; the last pause is before the last try. */
const PAUSES_MS = [500, 1500, 4000]
/** A server takes over what another of its processes left unfinished after half a minute. */
const BUSY = { tries: 40, ms: 1000 }
const LONGEST_LIMIT_S = 30

export type Session = {
  url: URL
  /** One call of the route table. Fails with a `Failure`, never with anything else. */
  call<R extends Route>(route: R, ...input: Args<R>): Promise<ResponseOf<R>>
}

export type Access = {
  url: URL
  key: string
  proxy?: SocksProxy | undefined
  /** Of an earlier try whose answer was lost. */
  idempotencyKey?: string | undefined
}

/** What the pauses are made of, and how long one try may take; tests do not wait. */
type Times = { pause: (ms: number) => Promise<unknown>; timeoutMs: number }
const TIMES: Times = { pause, timeoutMs: 30_000 }

export const openSession = (access: Access, times: Partial<Times> = {}): Session => ({
  url: access.url,
  call: (route, ...[input]) => send(access, route, input ?? {}, { ...TIMES, ...times }) as never,
})

/**
 * Calls that pay or create something carry one key however often they are sent, so that a lost
 * answer never means a second effect. Other changes are sent once.
 */
async function send(access: Access, route: Route, input: Input, times: Times): Promise<unknown> {
  const key = route.idempotent && (access.idempotencyKey ?? randomUUID())
  const mayRepeat = route.method === 'GET' || Boolean(key)
  const pauses = mayRepeat ? [...PAUSES_MS] : []
  let busy = 0
  // A key that was given belongs to an earlier run, which may have sent the call.
  let isSent = Boolean(access.idempotencyKey)
  for (;;) {
    const once = { key: key || undefined, timeoutMs: times.timeoutMs }
    const answer = await sendOnce(access, route, input, once).catch((error: unknown) => {
      // The proxy gave up, and an earlier try may have arrived.
      if (!isSent || !(error instanceof Failure)) throw error
      throw new Failure(error.exit, error.message + doubtOf(key || undefined))
    })
    isSent = true
    const code = answer && bodyOf(answer)?.code
    const seconds = code === 'TOO_MANY_REQUESTS' ? (answer?.retryAfter ?? 0) : 0
    const isBusy = code === 'IN_FLIGHT' || (seconds > 0 && seconds <= LONGEST_LIMIT_S)
    if (isBusy && busy < BUSY.tries) {
      busy += 1
      await times.pause(Math.max(BUSY.ms, seconds * 1000))
    } else if (isLost(answer) && pauses.length > 0) {
      await times.pause(pauses.shift() ?? 0)
    } else {
      return result(access, answer, key || undefined)
    }
  }
}

/** No answer at all, or one of a proxy before the server. */
const isLost = (answer: Answer | undefined): boolean =>
  !answer || ([502, 503, 504].includes(answer.status) && !bodyOf(answer))

async function sendOnce(
  { url, key, proxy }: Access,
  route: Route,
  input: Input,
  once: { key: string | undefined; timeoutMs: number },
): Promise<Answer | undefined> {
  if (isOnion(url) && !proxy) {
    throw new Failure('misuse', `${url.host} needs Tor: add --socks 127.0.0.1:9050.`)
  }
  const body = input.body === undefined ? undefined : JSON.stringify(input.body)
  try {
    return await ask(url, proxy, {
      method: route.method,
      path: pathOf(route, input) + searchOf(input.query),
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(once.key && { 'idempotency-key': once.key }),
      },
      body,
      signal: AbortSignal.timeout(once.timeoutMs),
    })
  } catch (error) {
    if (error instanceof Failure) throw error
    if (isUntrusted(error)) throw new Failure('unreachable', untrusted(url))
    return undefined
  }
}

/** OpenSSL's and Node's names of what is wrong with a certificate. */
const isUntrusted = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /CERT|SELF_SIGNED|VERIFY|ALTNAME/.test(`${error.code}`)

const untrusted = (url: URL) =>
  `The certificate of ${url.host} is not trusted. For a private authority set NODE_EXTRA_CA_CERTS.`

const doubtOf = (key: string | undefined) =>
  key
    ? ` Whether it took effect is not known: run the same command with --idempotency-key ${key}, and it takes effect once.`
    : ''

function result({ url }: Access, answer: Answer | undefined, key: string | undefined): unknown {
  const doubt = doubtOf(key)
  if (!answer || isLost(answer)) {
    throw new Failure('unreachable', `${url.host} does not answer.${doubt}`)
  }
  const { status, text } = answer
  if (status >= 200 && status < 300) return parsed(text, url)
  const body = bodyOf(answer)
  const sentence = body ? plain(body.message) : `${url.host} answered ${status}.`
  throw new Failure(exitOf(status), status >= 500 ? sentence + doubt : sentence)
}

function parsed(text: string, url: URL): unknown {
  if (text === '') return undefined
  const value = json(text)
  if (value !== undefined) return value
  throw new Failure('refused', `What answers at ${url.host} is not Hushbox.`)
}

const exitOf = (status: number): Exit => {
  if (status === 401 || status === 403) return 'forbidden'
  return status === 404 ? 'notFound' : 'refused'
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The server's own words about a failure, if these are its words. */
function bodyOf({ status, text }: Answer): { code: string; message: string } | undefined {
  const body = status >= 400 ? json(text) : undefined
  if (typeof body !== 'object' || body === null) return undefined
  if (!('code' in body) || !('message' in body)) return undefined
  return { code: String(body.code), message: String(body.message) }
}
