import type { ClientToken } from '#shared/api/overview/client.ts'
import { daysLeft, isExpired, warningDays } from '#shared/rules/token/token-expiry.ts'
import { isUnderWay } from '../../widgets/jobs/job-stages.ts'

const OVERDUE_MS = 2_000

/**
 * How often the list is read again: soon at zero, at the pace of jobs while one runs, otherwise
 * not.
 */
export function lookAgainAfter(
  tokens: readonly ClientToken[] | undefined,
  now: number,
  pace: number,
): number | false {
  if (!tokens) return false
  // The countdown is over and the server has not reported it yet: only its answer counts (T6).
  const isOverdue = tokens.some(
    (token) => token.status === 'assigned' && isExpired(token, new Date(now)),
  )
  if (isOverdue) return OVERDUE_MS
  const isWorking = tokens.some(
    ({ status, job }) => status === 'pending' || (job && isUnderWay(job)),
  )
  return isWorking ? pace : false
}

const ORDER: Record<ClientToken['status'], number> = {
  pending: 0,
  assigned: 1,
  expired: 2,
  available: 3,
  ready: 3,
  cancelled: 4,
}

/** Servers in progress first, ended ones last; the newest first among equals. */
export const inOrder = (tokens: readonly ClientToken[]): ClientToken[] =>
  tokens.toSorted(
    (a, b) =>
      ORDER[a.status] - ORDER[b.status] ||
      (b.assignedAt ?? '').localeCompare(a.assignedAt ?? '') ||
      b.id - a.id,
  )

/** Whether the end is near enough for a warning. */
export function isEndingSoon(token: ClientToken, now: number): boolean {
  const days = daysLeft(token, new Date(now))
  return days !== undefined && days <= warningDays(token.durationDays)
}
