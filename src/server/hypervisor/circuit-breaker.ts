import { type FailureKind, ProxmoxError } from '#proxmox/errors.ts'
import { AppError } from '#shared/errors.ts'

/** Failures that say something about the cluster, not about the call. */
const CLUSTER_FAILURES = new Set<FailureKind>([
  'unreachable',
  'unknown-outcome',
  'tls',
  'unauthorised',
  'tfa-required',
])

const THRESHOLD = 3
const FIRST_REST_MS = 10_000
const LONGEST_REST_MS = 60_000

export type CircuitBreaker = {
  run<T>(act: () => Promise<T>): Promise<T>
  readonly isOpen: boolean
}

/**
 * After a few failures in a row nobody is made to wait for a dead cluster: calls fail at once until
 * a rest is over, then one call tries, and the others follow only if it succeeds.
 */
export function circuitBreaker(now: () => number): CircuitBreaker {
  let failures = 0
  let openUntil = 0
  let isTrying = false

  const isOpen = () => failures >= THRESHOLD && (now() < openUntil || isTrying)

  const refuse = () => {
    const seconds = Math.max(1, Math.ceil((openUntil - now()) / 1000))
    throw new AppError('CLUSTER_UNAVAILABLE', 'The cluster does not answer at the moment.', {
      retryAfter: seconds,
    })
  }

  const failed = (error: unknown) => {
    if (!isClusterFailure(error)) return succeeded()
    failures += 1
    if (failures < THRESHOLD) return
    const rest = FIRST_REST_MS * 2 ** (failures - THRESHOLD)
    openUntil = now() + Math.min(rest, LONGEST_REST_MS)
  }

  const succeeded = () => {
    failures = 0
  }

  return {
    async run(act) {
      if (isOpen()) return refuse()
      const isTrial = failures >= THRESHOLD
      isTrying ||= isTrial
      try {
        const result = await act()
        succeeded()
        return result
      } catch (error) {
        failed(error)
        throw error
      } finally {
        if (isTrial) isTrying = false
      }
    },
    get isOpen() {
      return isOpen()
    },
  }
}

function isClusterFailure(error: unknown): boolean {
  if (!(error instanceof ProxmoxError)) return false
  if (error.failure.kind === 'unreachable') {
    // One node behind a good entry node, or a caller who lost patience, is not the cluster's fault.
    return error.failure.reason !== 'aborted' && error.failure.reason !== 'closed'
  }
  return CLUSTER_FAILURES.has(error.kind)
}
