import type { Cents } from '#shared/rules/money/money.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { PaymentFacts } from '../../port/payment-provider.ts'
import { type Piconero, type Rate, sumOf, worthInCents } from './piconero.ts'

/** One that is in the pool has no confirmation. */
export type Transfer = {
  txid: string
  pico: Piconero
  confirmations: number
  isTimeLocked: boolean
  isDoubleSpent: boolean
  at: Date
}

/** What a transfer was worth when it was first seen. */
export type ValuedTransfer = Pick<Transfer, 'pico' | 'confirmations'> & {
  rate: Rate
  isOnTime: boolean
}

/** Sent in the last moment: it takes a while until it is seen. */
const GRACE_MS = 2 * MINUTE_MS

/** What a mistake or a fraud would cost decides how deep a transfer has to be in the chain. */
export function confirmationsFor(cents: Cents): number {
  if (cents <= 2000) return 1
  return cents <= 10_000 ? 3 : 10
}

/**
 * Those that can be spent and are not contradicted. A transfer that is locked for a time may be
 * worthless for years; one whose coins are also sent elsewhere may never be confirmed.
 */
export const countable = <T extends Transfer>(transfers: readonly T[]): T[] =>
  transfers.filter(({ isTimeLocked, isDoubleSpent }) => !isTimeLocked && !isDoubleSpent)

/** By the clock of the network or by ours: a transfer found later may have been sent in time. */
export const isInTime = ({ at }: Pick<Transfer, 'at'>, expiresAt: Date, now: Date): boolean =>
  Math.min(at.getTime(), now.getTime()) <= expiresAt.getTime() + GRACE_MS

type Judged = {
  facts: PaymentFacts
  seen: Piconero
  final: Piconero
  /** Of the transfer that has the fewest, but not more than are needed; null without a transfer. */
  confirmations: number | null
  needed: number
}

/**
 * What the transfers to an address mean for its payment. Parts that can still be completed count
 * when the time is over, as with every provider.
 */
export function judge(
  { amountCents, expiresAt }: { amountCents: Cents; expiresAt: Date },
  transfers: readonly ValuedTransfer[],
  now: Date,
): Judged {
  const seenCents = worthInCents(transfers)
  const needed = confirmationsFor(Math.max(amountCents, seenCents))
  const final = transfers.filter(({ confirmations }) => confirmations >= needed)
  const counted = (state: PaymentFacts['state'], receivedCents: Cents): Judged => ({
    facts: { state, receivedCents, refundedCents: 0, seenCents },
    seen: sumOf(transfers),
    final: sumOf(final),
    confirmations:
      transfers.length === 0
        ? null
        : Math.min(needed, ...transfers.map(({ confirmations }) => confirmations)),
    needed,
  })
  const isWhole = (some: readonly ValuedTransfer[]) =>
    worthInCents(some.filter(({ isOnTime }) => isOnTime)) >= amountCents
  if (isWhole(final)) return counted('paid', worthInCents(final))
  if (isWhole(transfers)) return counted('confirming', 0)
  if (now > expiresAt) return counted('expired', worthInCents(final))
  return counted(final.length < transfers.length ? 'confirming' : 'pending', 0)
}
