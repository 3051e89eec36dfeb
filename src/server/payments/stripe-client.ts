import type Stripe from 'stripe'
import type { StripeConfig } from './provider-config.ts'
import { ProviderError, type ProviderFault } from './provider-errors.ts'

/** Pinned: an upgrade of the library does not compile until somebody has looked at what changed. */
const API_VERSION = '2026-10-28.endive'
const TIMEOUT_MS = 10_000
const RETRIES = 2

/** Loaded when it is needed: it takes a while, and most installations never do. */
const library = async () => (await import('stripe')).default

/** The library, told to report nothing about us, and to give up before the client does. */
export function stripeClient({ secretKey, apiUrl }: StripeConfig): () => Promise<Stripe> {
  let client: Promise<Stripe> | undefined
  const create = async () =>
    new (await library())(secretKey, {
      apiVersion: API_VERSION,
      telemetry: false,
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      ...(apiUrl === undefined ? {} : addressOf(new URL(apiUrl))),
    })
  return () => {
    client ??= create()
    return client
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
