import { DAY_MS } from '../time/durations.ts'
import { expiryOf } from '../token/token-expiry.ts'

export type TrafficPeriod = { from: Date; to: Date }

type Term = { assignedAt: Date | null; expiresAt: Date | null; durationDays: number }

/**
 * The term a server is paid for, counted back from its end: a renewal in time continues it, and one
 * that comes late begins another. A server without a term is counted by the month.
 */
export function trafficPeriod(term: Term | null, now: Date): TrafficPeriod {
  const end = term && expiryOf(term)
  if (!term || !end) return monthOf(now)
  const length = term.durationDays * DAY_MS
  const terms = Math.ceil((end.getTime() - now.getTime()) / length)
  // At its very end the next one begins.
  const to = end.getTime() - (terms - 1) * length
  const bound = to <= now.getTime() ? to + length : to
  return { from: new Date(bound - length), to: new Date(bound) }
}

const monthOf = (now: Date): TrafficPeriod => {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  return { from: new Date(Date.UTC(year, month)), to: new Date(Date.UTC(year, month + 1)) }
}
