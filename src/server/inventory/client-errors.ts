import { AppError, type ErrorCode } from '#shared/errors.ts'
import type { Log } from '../log.ts'
import type { Actor } from '../sessions/actor.ts'

/** Failures between us and our cluster: the operator's to mend, nothing a client can act on. */
const OURS = new Set<ErrorCode>(['CLUSTER_REFUSED', 'CERTIFICATE_UNTRUSTED'])

/** A client learns that it does not work now; paths, nodes and rights of the cluster stay here. */
export function forActor(actor: Actor, log: Log) {
  const isClient = actor.user.role !== 'admin' || actor.admin !== undefined
  return (error: unknown): never => {
    if (!isClient || !(error instanceof AppError)) throw error
    const { code, message, retryAfter } = error
    if (OURS.has(code)) {
      log.warn({ err: error }, 'a cluster failed a client')
      throw new AppError(
        'CLUSTER_UNAVAILABLE',
        'This does not work at the moment. The operator has been told.',
        { retryAfter: 60, cause: error },
      )
    }
    const rest = retryAfter === undefined ? {} : { retryAfter }
    throw new AppError(code, message, { ...rest, cause: error })
  }
}
