import type Stripe from 'stripe'
import type { StripeConfig } from '../../config/provider-config.ts'
import { ProviderError, type ProviderFault } from '../port/provider-errors.ts'

/** Pinned: an upgrade of the library does not compile until somebody has looked at what changed. */
const API_VERSION = '2026-10-28.endive'
const TIMEOUT_MS = 10_000
const RETRIES = 2

/** Loaded when it is needed: it takes a while, and most installations never do. */
const library = async () => (await import('stripe')).default

/** The library, told to report nothing about us, and to give up before the client does. */
export function stripeClient({ secretKey, apiUrl }: StripeConfig): () => Promise<Stripe> {
  let client: Promise<Stripe> | undefined
  const create = async () => {
    const Library = await library()
    return new Library(secretKey, {
      apiVersion: API_VERSION,
      httpClient: Library.createFetchHttpClient(fetchObjects),
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
 * Only JSON objects reach the library. On any other JSON (a proxy's `"ok"`) it throws in a place where
 * nobody catches it, and the call never ends.
 */
async function fetchObjects(...request: Parameters<typeof fetch>): Promise<Response> {
  const reply = await fetch(...request)
  const text = await reply.text()
  const { status, headers } = reply
  if (isJsonObject(text)) return new Response(text, { status, headers: plain(headers) })
  return new Response(NO_ANSWER, { status: status < 400 ? 502 : status })
}

/** The body is unpacked already: what described its packing must not be believed again. */
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

/** A call of the library whose failures are ours. Its own messages can quote the key: they end here. */
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

/** Every error of the library says its type, which begins with its name. */
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
