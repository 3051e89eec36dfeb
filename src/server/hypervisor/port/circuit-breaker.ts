import { ProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'

const THRESHOLD = 3
const FIRST_REST_MS = 10_000
const LONGEST_REST_MS = MINUTE_MS

export type CircuitBreaker = {
  /** Fails at once while the breaker is open; a probe always goes through. */
  run<T>(act: () => Promise<T>, options?: { isProbe: boolean }): Promise<T>
  readonly isOpen: boolean
}

/**
 * After a few failures in a row no caller waits for a dead cluster: calls fail at once until a rest
 * is over or a probe succeeds. The rest grows while the failures continue.
 */
export function circuitBreaker(now: () => number): CircuitBreaker {
  let failures = 0
  let openUntil = 0

  const isOpen = () => failures >= THRESHOLD && now() < openUntil

  const failed = () => {
    failures += 1
    const rest = FIRST_REST_MS * 2 ** Math.max(0, failures - THRESHOLD)
    openUntil = now() + Math.min(rest, LONGEST_REST_MS)
  }

  return {
    async run(act, { isProbe } = { isProbe: false }) {
      if (isOpen() && !isProbe) throw resting(openUntil - now())
      try {
        const result = await act()
        failures = 0
        return result
      } catch (error) {
        if (isAway(error)) failed()
        throw error
      }
    },
    get isOpen() {
      return isOpen()
    },
  }
}

function resting(ms: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(ms / 1000))
  const message = 'The cluster does not answer at the moment.'
  return new AppError('CLUSTER_UNAVAILABLE', message, { retryAfter })
}

/**
 * True if the failure means that the whole cluster is unreachable. False if it answered, even with
 * "that node is down", or if the caller timed out.
 */
function isAway(error: unknown): boolean {
  if (!(error instanceof ProxmoxError)) return false
  const { failure } = error
  if (failure.kind === 'unreachable') {
    return !['aborted', 'closed', 'node-unreachable'].includes(failure.reason)
  }
  return failure.kind === 'tls' || failure.kind === 'unauthorised'
}
