import { type Cents, formatUsd, parseAmount } from './money.ts'

/** Less costs a provider more than it brings. */
const LEAST_CENTS: Cents = 100
/** A mistyped amount stays an amount that can be sent back. */
const MOST_CENTS: Cents = 100_000

export const topUpBounds = () =>
  `Please enter an amount from ${formatUsd(LEAST_CENTS)} to ${formatUsd(MOST_CENTS)}`

/** Whether this much credit can be bought at once. */
export function isTopUp(amount: string): boolean {
  const cents = parseAmount(amount)
  return cents !== undefined && cents >= LEAST_CENTS && cents <= MOST_CENTS
}
