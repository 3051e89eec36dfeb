import { DAY_MS, daysBegun } from '../time/durations.ts'

export const DEFAULT_DAYS = 30
export const RENEWAL_DAYS = 7
/** Nobody pays further ahead than this. */
const MAX_AHEAD_DAYS = 730

type Moment = Date | string | null | undefined
type Dated = { assignedAt?: Moment; expiresAt?: Moment; durationDays?: number | null | undefined }

const at = (moment: Moment): number | undefined => {
  if (moment === null || moment === undefined) return undefined
  const ms = new Date(moment).getTime()
  return Number.isNaN(ms) ? undefined : ms
}

/** When it ends: what the server says, else its start and its duration (T6). */
export function expiryOf({ assignedAt, expiresAt, durationDays }: Dated): Date | undefined {
  const end = at(expiresAt)
  if (end !== undefined) return new Date(end)
  const start = at(assignedAt)
  return start === undefined ? undefined : new Date(start + (durationDays ?? DEFAULT_DAYS) * DAY_MS)
}

/** Expired at the very moment of its end, never before. */
export function isExpired(token: Dated, now: Date): boolean {
  const end = expiryOf(token)
  return end !== undefined && end.getTime() <= now.getTime()
}

/** Days left as `daysBegun` counts them: the last day is 1, and 0 is over. */
export function daysLeft(token: Dated, now: Date): number | undefined {
  const end = expiryOf(token)
  if (end === undefined) return undefined
  return daysBegun(end.getTime() - now.getTime())
}

/**
 * From how many days left its end is a warning: seven, but never more than half of its term, so
 * that a server of seven days does not begin with an alarm.
 */
export const warningDays = (durationDays: number): number =>
  Math.min(RENEWAL_DAYS, Math.max(1, Math.floor(durationDays / 2)))

/** How the badge looks with this many days left of its term. */
export function expiryBadge(
  days: number,
  durationDays: number,
): 'destructive' | 'secondary' | 'default' {
  if (days <= warningDays(durationDays)) return 'destructive'
  return days <= DEFAULT_DAYS ? 'secondary' : 'default'
}

/** Is it time to speak of renewal: a week or less left, or in grace (T7). What is free ends. */
export function offersRenewal(
  token: Dated & { status: string; monthlyPrice: string },
  now: Date,
): boolean {
  if (Number(token.monthlyPrice) === 0) return false
  if (token.status === 'expired') return true
  const left = daysLeft(token, now)
  return token.status === 'assigned' && left !== undefined && left <= RENEWAL_DAYS
}

/** The new end: time paid for is never lost by paying early. Undefined where it is too far ahead. */
export function renewedUntil(token: Dated & { durationDays: number }, now: Date): Date | undefined {
  const from = Math.max(now.getTime(), expiryOf(token)?.getTime() ?? 0)
  const until = from + token.durationDays * DAY_MS
  // One period is always allowed, however long it is; more may not be stacked up.
  const isFirst = from === now.getTime()
  const limit = now.getTime() + MAX_AHEAD_DAYS * DAY_MS
  return until <= limit || isFirst ? new Date(until) : undefined
}

/** Until when a server that ended is kept: from its expiry or its cancellation, whichever was first. */
export function keptUntil(
  token: { expiresAt: Date | null; cancelledAt: Date | null },
  graceDays: number,
): Date | undefined {
  const ends = [token.expiresAt, token.cancelledAt].flatMap((end) => end?.getTime() ?? [])
  return ends.length === 0 ? undefined : new Date(Math.min(...ends) + graceDays * DAY_MS)
}
