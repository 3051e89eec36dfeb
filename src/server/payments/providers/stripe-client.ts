import type Stripe from 'stripe'
import type { StripeConfig } from '../../config/provider-config.ts'
import { guardedCall } from '../../lib/net/guarded-call.ts'
import { ProviderError, type ProviderFault } from '../port/provider-errors.ts'
import { PROVIDER_REACH } from '../port/provider-reach.ts'

/**
 * Pinned: an upgrade of the library does not compile until a developer has reviewed the API
 * changes.
 */
const API_VERSION = '2026-10-28.endive'
const TIMEOUT_MS = 10_000
const RETRIES = 2

/** Loaded on first use: loading is slow, and most installations never need it. */
const library = async () => (await import('stripe')).default

/** The library with telemetry off and a timeout shorter than the client's. */
export function stripeClient({ secretKey, apiUrl }: StripeConfig): () => Promise<Stripe> {
  let client: Promise<Stripe> | undefined
  const create = async () => {
    const Library = await library()
    return new Library(secretKey, {
      apiVersion: API_VERSION,
      httpClient: Library.createFetchHttpClient(
        objectsOf(apiUrl === undefined ? fetch : guardedFetch),
      ),
      telemetry: false,
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      ...(apiUrl === undefined ? {} : addressOf(new URL(apiUrl))),
    })
  }
  return () => {
    client ??= create()
    return client
  }
}

const NO_ANSWER = JSON.stringify({ error: { message: 'The answer was no JSON object.' } })

/**
 * Passes only JSON objects to the library. On any other JSON (a proxy's `"ok"`) the library throws
 * where the error cannot be caught, and the call never ends.
 */
const objectsOf =
  (send: typeof fetch): typeof fetch =>
  async (...request) => {
    const reply = await send(...request)
    const text = await reply.text()
    const { status, headers } = reply
    if (isJsonObject(text)) return new Response(text, { status, headers: plain(headers) })
    return new Response(NO_ANSWER, { status: status < 400 ? 502 : status })
  }

/** An address other than Stripe's own was entered by a person, so it is checked where it leads. */
const guardedFetch: typeof fetch = async (input, { method, headers, body } = {}) => {
  const call = {
    method: method === 'POST' ? ('POST' as const) : ('GET' as const),
    url: String(input),
    headers: Object.fromEntries(new Headers(headers)),
    ...(typeof body === 'string' ? { body } : {}),
  }
  const { status, text } = await guardedCall(call, PROVIDER_REACH)
  return new Response(text, { status })
}

/** Drops the headers that describe the encoding, because the body is already decoded. */
function plain(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name)
  return kept
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const addressOf = ({ hostname, port, protocol }: URL) => ({
  host: hostname,
  protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
  port: port || (protocol === 'http:' ? '80' : '443'),
})

type Failure = { type: string; statusCode?: number; requestId?: string }

/**
 * Runs a call of the library and converts its failures. The library's messages may quote the key,
 * so they are dropped here.
 */
export async function ask<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isStripeError(error)) throw error
    const { type, statusCode, requestId } = error
    const note = `${what} at Stripe: ${type} ${statusCode ?? 'without an answer'} ${requestId ?? ''}`
    throw new ProviderError(faultOf(statusCode), note.trim())
  }
}

/** Every error of the library has a type that begins with the library's name. */
export const isStripeError = (error: unknown): error is Error & Failure =>
  error instanceof Error &&
  'type' in error &&
  typeof error.type === 'string' &&
  error.type.startsWith('Stripe')

function faultOf(status: number | undefined): ProviderFault {
  if (status === undefined || status === 429 || status >= 500) return 'unreachable'
  if (status === 401 || status === 403) return 'refused'
  return status === 404 ? 'missing' : 'rejected'
}
