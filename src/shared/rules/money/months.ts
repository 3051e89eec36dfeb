import type { Cents } from './money.ts'

/** How many periods of a server can be bought at once. */
export const MONTHS = [1, 3, 6, 12] as const
export type Months = (typeof MONTHS)[number]

/** A discount of this much is a present. */
export const MOST_PERCENT = 90

/** The operator's discount in percent, for each number of months above one. */
export type Discounts = Record<3 | 6 | 12, number>

export const NO_DISCOUNTS: Discounts = { 3: 0, 6: 0, 12: 0 }

export const percentFor = (months: Months, discounts: Discounts): number =>
  months === 1 ? 0 : discounts[months]

/** The price of so many months, rounded to the client's favour. */
export const priceOfMonths = (monthly: Cents, months: Months, discounts: Discounts): Cents =>
  Math.floor((monthly * months * (100 - percentFor(months, discounts))) / 100)
