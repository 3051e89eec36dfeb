import { DAY_MS, daysBegun } from '../time/durations.ts'

export const DEFAULT_DAYS = 30
export const RENEWAL_DAYS = 7
/** A client can pay no further ahead than this. */
const MAX_AHEAD_DAYS = 730

type Moment = Date | string | null | undefined
type Dated = { assignedAt?: Moment; expiresAt?: Moment; durationDays?: number | null | undefined }

const at = (moment: Moment): number | undefined => {
  if (moment === null || moment === undefined) return undefined
  const ms = new Date(moment).getTime()
  return Number.isNaN(ms) ? undefined : ms
}

/** When it ends: the stored end, else its start plus its duration (T6). */
export function expiryOf({ assignedAt, expiresAt, durationDays }: Dated): Date | undefined {
  const end = at(expiresAt)
  if (end !== undefined) return new Date(end)
  const start = at(assignedAt)
  return start === undefined ? undefined : new Date(start + (durationDays ?? DEFAULT_DAYS) * DAY_MS)
}

/** Expired exactly at its end, never before. */
export function isExpired(token: Dated, now: Date): boolean {
  const end = expiryOf(token)
  return end !== undefined && end.getTime() <= now.getTime()
}

/** Days left as `daysBegun` counts them: 1 on the last day, 0 once expired. */
export function daysLeft(token: Dated, now: Date): number | undefined {
  const end = expiryOf(token)
  if (end === undefined) return undefined
  return daysBegun(end.getTime() - now.getTime())
}

/**
 * The number of days left at which a warning starts: seven, but never more than half of the term,
 * so that a seven-day server does not start with a warning.
 */
export const warningDays = (durationDays: number): number =>
  Math.min(RENEWAL_DAYS, Math.max(1, Math.floor(durationDays / 2)))

/** The colour of the badge with this many days left of the term. */
export function expiryBadge(
  days: number,
  durationDays: number,
): 'destructive' | 'secondary' | 'default' {
  if (days <= warningDays(durationDays)) return 'destructive'
  return days <= DEFAULT_DAYS ? 'secondary' : 'default'
}

/**
 * Whether to offer renewal: a week or less left, or in grace (T7). A free server is never renewed.
 */
export function offersRenewal(
  token: Dated & { status: string; monthlyPrice: string },
  now: Date,
): boolean {
  if (Number(token.monthlyPrice) === 0) return false
  if (token.status === 'expired') return true
  const left = daysLeft(token, now)
  return token.status === 'assigned' && left !== undefined && left <= RENEWAL_DAYS
}

/** The new end: paying early never loses paid time. Undefined where it is too far ahead. */
export function renewedUntil(
  token: Dated & { durationDays: number },
  now: Date,
  periods = 1,
): Date | undefined {
  const from = Math.max(now.getTime(), expiryOf(token)?.getTime() ?? 0)
  const until = from + token.durationDays * periods * DAY_MS
  // One period is always allowed, however long; more must not add up beyond the limit.
  const isFirst = from === now.getTime() && periods === 1
  const limit = now.getTime() + MAX_AHEAD_DAYS * DAY_MS
  return until <= limit || isFirst ? new Date(until) : undefined
}

/**
 * Until when an ended server is kept: from its expiry or its cancellation, whichever came first.
 */
export function keptUntil(
  token: { expiresAt: Date | null; cancelledAt: Date | null },
  graceDays: number,
): Date | undefined {
  const ends = [token.expiresAt, token.cancelledAt].flatMap((end) => end?.getTime() ?? [])
  return ends.length === 0 ? undefined : new Date(Math.min(...ends) + graceDays * DAY_MS)
}
