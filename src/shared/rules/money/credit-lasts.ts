import { DAY_MS } from '../time/durations.ts'
import type { Cents } from './money.ts'

/** How long before its end a server is renewed from credit. */
export const AUTO_RENEW_DAYS = 3
/** How long before its end a client is told that the credit does not cover the renewal. */
export const AUTO_RENEW_WARNING_DAYS = 7
/** Nobody plans further ahead, and a server cannot be paid further ahead either. */
const FORESEEN_DAYS = 730

/** A server that is renewed from credit. */
export type Renewing = { id: number; price: Cents; endsAt: Date; durationDays: number }

export type CreditEnd = {
  /** The end of the first server that the credit does not renew. */
  until: Date
  id: number
  /** What is missing for that renewal. */
  missing: Cents
}

/** When a server is renewed, or was to be renewed. */
export const renewsAt = (endsAt: Date): Date =>
  new Date(endsAt.getTime() - AUTO_RENEW_DAYS * DAY_MS)

/**
 * Until when this credit renews all of these servers, as the renewals will take it: the server that
 * ends first is renewed first. Undefined where it lasts for the next two years.
 */
export function creditLasts(
  servers: readonly Renewing[],
  credit: Cents,
  now: Date,
): CreditEnd | undefined {
  const ends = servers.map((server) => ({ ...server, end: server.endsAt.getTime() }))
  const horizon = now.getTime() + FORESEEN_DAYS * DAY_MS
  let left = credit
  for (;;) {
    const next = ends.reduce<(typeof ends)[number] | undefined>(
      (first, one) => (first === undefined || one.end < first.end ? one : first),
      undefined,
    )
    if (!next || next.end > horizon) return undefined
    if (next.price > left) {
      return { until: new Date(next.end), id: next.id, missing: next.price - Math.max(0, left) }
    }
    left -= next.price
    next.end = Math.max(next.end, now.getTime()) + next.durationDays * DAY_MS
  }
}
