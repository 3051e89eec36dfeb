import type { Failure, UnreachableReason } from '../wire/errors.ts'

/** The code of the error that our own certificate check raises. */
export const PIN_MISMATCH = 'ERR_PIN_MISMATCH'

const UNREACHABLE: Readonly<Record<string, UnreachableReason>> = {
  EAI_AGAIN: 'unknown-host',
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'disconnected',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  ENOTFOUND: 'unknown-host',
  EPIPE: 'disconnected',
  ETIMEDOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_CLOSED: 'closed',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
}

/** OpenSSL's verification codes: the chain does not end in a trusted certificate. */
const UNVERIFIED = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|INVALID_CA|INVALID_PURPOSE)/

/** What a failed connection means. Nothing has been sent at this point, so a retry is safe. */
export function failureOfConnect(error: unknown, { pinned }: { pinned: boolean }): Failure {
  const code = codeOf(error)
  if (code === PIN_MISMATCH) return { kind: 'tls', reason: 'changed' }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { kind: 'tls', reason: 'wrong-name' }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return { kind: 'tls', reason: 'expired' }
  }
  // A pinned certificate verifies against itself, so a failed verification means a different one.
  if (UNVERIFIED.test(code)) return { kind: 'tls', reason: pinned ? 'changed' : 'untrusted' }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return { kind: 'tls', reason: 'not-tls' }
  return { kind: 'unreachable', reason: UNREACHABLE[code] ?? 'disconnected' }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return code
  // Both address families were tried; either failure will do.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : codeOf(error.cause)
}
