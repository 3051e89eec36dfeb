import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
} from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP } from 'node:net'
import { addressKind } from './address-kind.ts'
import { guardedLookup, isInside } from './guarded-lookup.ts'

const TIMEOUT_MS = 10_000
/** The list of the zones of a large DNS server. */
const MAX_BYTES = 32 * 2 ** 20

/** Where a call may go: to the internet only by https. */
export type Reach = {
  allowsLoopback: boolean
  allowsPlainInside: boolean
  /** Why nothing goes to this address either. */
  refuses?: (address: string) => string | undefined
}

type Call = {
  method: 'GET' | 'PATCH' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
  /** A connection that outlives the call; else each call has its own. */
  agent?: Agent
  maxBytes?: number
  /** Only the beginning of the answer is wanted: what is longer is cut off instead of refused. */
  isCut?: boolean
}

/** Why a call was not made, or had no whole answer: a sentence for the person who entered the address. */
export class CallError extends Error {
  override readonly name = 'CallError'
}

const HTTPS = 'Enter an https:// address: the key must not be read on the way.'

/** Why no call goes to this address; undefined if it may. */
export function reachRefusal(
  address: string,
  isPlain: boolean,
  { allowsLoopback, allowsPlainInside, refuses }: Reach,
): string | undefined {
  const refusal = refuses?.(address)
  if (refusal !== undefined) return refusal
  const kind = addressKind(address)
  if (kind === 'never')
    return 'The address must not be link-local, multicast or of a metadata service.'
  if (kind === 'loopback') {
    return allowsLoopback ? undefined : 'The address must not be this machine itself.'
  }
  if (!isPlain) return undefined
  return allowsPlainInside && isInside(address) ? undefined : HTTPS
}

/**
 * Calls a server whose address a client or operator entered. Every address that its name resolves to
 * is checked when the connection is made, so a name that is changed later cannot lead inside. Follows
 * no redirect.
 */
export async function guardedCall(
  { method, url, headers, body, agent, maxBytes = MAX_BYTES, isCut = false }: Call,
  reach: Reach,
): Promise<{ status: number; text: string; headers: IncomingHttpHeaders }> {
  const { protocol, hostname } = new URL(url)
  const isPlain = protocol === 'http:'
  const refusalOf = (address: string) => reachRefusal(address, isPlain, reach)
  const host = hostname.replace(/^\[|\]$/g, '')
  const literal = isIP(host) === 0 ? undefined : refusalOf(host)
  if (literal !== undefined) throw new CallError(literal)
  try {
    return await new Promise((done, fail) => {
      const asked = (isPlain ? plainRequest : tlsRequest)(
        url,
        {
          method,
          headers: { accept: 'application/json', ...headers },
          lookup: guardedLookup({ refusalOf, fail: (message) => new CallError(message) }),
          agent: agent ?? false,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        },
        (reply) => {
          const { statusCode: status = 0, headers: given } = reply
          readText(reply, maxBytes, isCut).then(
            (text) => done({ status, text, headers: given }),
            fail,
          )
        },
      )
      asked.on('error', fail).end(body)
    })
  } catch (error) {
    throw asCallError(error, new URL(url).host)
  }
}

async function readText(reply: IncomingMessage, maxBytes: number, isCut: boolean): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes && isCut) {
      chunks.push(chunk.subarray(0, chunk.length - (size - maxBytes)))
      break
    }
    if (size > maxBytes) {
      throw new CallError(`The server answered with more than ${maxBytes >> 10} KiB.`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'refused the connection: is it running, and is its API on?',
  ECONNRESET: 'closed the connection.',
  ENOTFOUND: 'has a name that leads nowhere.',
  EAI_AGAIN: 'has a name that cannot be looked up now.',
  ABORT_ERR: 'did not answer within ten seconds.',
  ETIMEDOUT: 'did not answer.',
  EHOSTUNREACH: 'cannot be reached from here.',
  ENETUNREACH: 'cannot be reached from here.',
  EPROTO: 'does not speak https there.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that no known authority signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that no known authority signed.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that no known authority signed.',
  CERT_HAS_EXPIRED: 'has a certificate that has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name.',
}

/** A cause of our own is passed on; the code of any other names it. */
function asCallError(error: unknown, host: string): Error {
  if (error instanceof CallError) return error
  const { code, name } = error as { code?: unknown; name?: string }
  const known = typeof code === 'string' ? code : name === 'AbortError' ? 'ABORT_ERR' : 'unknown'
  const reason = REASONS[known] ?? `could not be asked (${known}).`
  return new CallError(`${host} ${reason}`, { cause: error })
}
