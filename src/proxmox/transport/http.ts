import { buildConnector, type Dispatcher, Pool } from 'undici'
import { type Failure, ProxmoxError } from '../wire/errors.ts'
import { stopReason } from './clock.ts'
import { failureOfConnect } from './connect-failure.ts'
import { type Pin, tlsOptions } from './tls.ts'

export type Method = 'DELETE' | 'GET' | 'POST' | 'PUT'

export type HttpRequest = {
  method: Method
  /** Path and query, e.g. `/api2/json/version`. */
  target: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
  /** Repeating it has no further effect, so a lost answer loses nothing. */
  isRepeatable: boolean
}

export type HttpAnswer = { status: number; reason: string; body: string }

/** One host of a cluster, over pinned TLS. Sends a request at most once. */
export type HttpHost = {
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>
  close(): Promise<void>
}

const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** Wraps errors of the connecting phase, which prove that nothing was sent. */
class ConnectError extends Error {}

export function httpHost(
  address: { host: string; port: number; pin: Pin | undefined },
  { connectMs }: { connectMs: number },
): HttpHost {
  const { host, port, pin } = address
  const origin = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!URL.canParse(origin)) {
    throw new ProxmoxError({ kind: 'unreachable', reason: 'unknown-host' }, 'not a host name')
  }
  const connector = buildConnector({
    ...tlsOptions(pin),
    maxCachedSessions: 0,
    timeout: connectMs,
  })
  const connect: buildConnector.connector = (options, callback) =>
    connector(options, (...[error, socket]) => {
      if (error) callback(new ConnectError('connect failed', { cause: error }), null)
      else callback(null, socket)
    })
  const options = { connect, maxResponseSize: MAX_ANSWER_BYTES, bodyTimeout: 0, headersTimeout: 0 }
  // pveproxy drops idle connections after 5 s: reads release theirs well before, and repeat if they
  // lose the race.
  const reads = new Pool(origin, { ...options, keepAliveTimeout: 2_000, connections: 8 })
  // A write that lost that race would needlessly have an unknown outcome: each gets its own
  // connection.
  const writes = new Pool(origin, { ...options, pipelining: 0, connections: 8 })
  return {
    send: (request, signal) => {
      const pool = request.method === 'GET' ? reads : writes
      return exchange(pool, request, { signal, pinned: pin !== undefined })
    },
    close: async () => {
      await Promise.all([reads.destroy(), writes.destroy()])
    },
  }
}

function exchange(
  pool: Pool,
  request: HttpRequest,
  { signal, pinned }: { signal: AbortSignal; pinned: boolean },
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let answer: Omit<HttpAnswer, 'body'> | undefined
    const chunks: Buffer[] = []

    const fail = (cause: unknown) => {
      signal.removeEventListener('abort', onAbort)
      const isSent = controller !== undefined
      const phase = { isLost: isSent && !request.isRepeatable, pinned, signal }
      reject(httpError(request, failureOfExchange(cause, phase), cause))
    }
    const onAbort = () => {
      const cause = new Error('stopped waiting')
      if (controller) controller.abort(cause)
      else fail(cause)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)

    const { method, target, headers, body = null } = request
    pool.dispatch(
      { method, path: target, headers, body },
      {
        onRequestStart(started) {
          // Aborted while waiting for a connection: undici sends nothing after this.
          if (signal.aborted) return started.abort(new Error('stopped waiting'))
          controller = started
        },
        onResponseStart(_, status, _headers, reason = '') {
          answer = { status, reason }
        },
        onResponseData(_, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          signal.removeEventListener('abort', onAbort)
          if (answer) resolve({ ...answer, body: Buffer.concat(chunks).toString('utf8') })
        },
        onResponseError: (_, error) => fail(error),
      },
    )
  })
}

type Phase = { isLost: boolean; pinned: boolean; signal: AbortSignal }

function failureOfExchange(error: unknown, { isLost, pinned, signal }: Phase): Failure {
  if (error instanceof ConnectError) return failureOfConnect(error.cause, { pinned })
  if (isLost) return { kind: 'unknown-outcome', upid: undefined }
  if (signal.aborted) return { kind: 'unreachable', reason: stopReason(signal) }
  return failureOfConnect(error, { pinned })
}

/** Messages omit the query: it may contain a ticket. */
function httpError(request: HttpRequest, failure: Failure, cause: unknown): ProxmoxError {
  const detail = 'reason' in failure ? `${failure.kind} (${failure.reason})` : failure.kind
  const path = request.target.split('?')[0]
  return new ProxmoxError(failure, `${request.method} ${path}: ${detail}`, { cause })
}
