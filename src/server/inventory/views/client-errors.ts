import { AppError, type ErrorCode } from '#shared/errors.ts'
import type { Log } from '../../lib/log.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'

/** Failures between us and our cluster: for the operator to repair, nothing a client can act on. */
const OURS = new Set<ErrorCode>(['CLUSTER_REFUSED', 'CERTIFICATE_UNTRUSTED'])
const LATER = new Set<ErrorCode>(['CLUSTER_UNAVAILABLE', 'CONFLICT', 'INVALID_INPUT'])

const NOT_NOW = 'This does not work at the moment. The operator has been told.'
const AWAY = 'The server does not answer at the moment. Try again in a minute.'

/**
 * The same failure in a sentence for a client, without paths, nodes and permissions of the cluster.
 */
export function wordsForClient({ code, message, cause }: AppError): string {
  if (OURS.has(code)) return NOT_NOW
  // The cluster's own text, which may name what is in it.
  return LATER.has(code) && cause !== undefined ? AWAY : message
}

/** A client learns only that it does not work now. */
export function forActor(actor: Actor, log: Log) {
  return (error: unknown): never => {
    if (isAdmin(actor) || !(error instanceof AppError)) throw error
    const { code, retryAfter } = error
    const message = wordsForClient(error)
    if (OURS.has(code)) {
      log.warn({ err: error }, 'a cluster failed a client')
      throw new AppError('CLUSTER_UNAVAILABLE', message, { retryAfter: 60, cause: error })
    }
    const rest = retryAfter === undefined ? {} : { retryAfter }
    throw new AppError(code, message, { ...rest, cause: error })
  }
}
