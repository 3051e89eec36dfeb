import type { Cents } from '#shared/rules/money/money.ts'

/** The smallest unit: 10^-12 of a Monero. Always a bigint, because a float loses the last ones. */
export type Piconero = bigint

/** Dollars for one Monero, in units of 10^-8 dollars. */
export type Rate = bigint

const RATE_DIGITS = 8
const XMR_DIGITS = 12
const RATE = /^(\d{1,7})(?:\.(\d{1,20}))?$/

/** 100 cents × 10^-12 × 10^-8: what the product of piconero and rate is divided by. */
const PER_CENT = 10n ** BigInt(XMR_DIGITS + RATE_DIGITS - 2)

/** An amount ends at the sixth digit, which people can read and type. */
const STEP = 10n ** 6n

/** "158.4" → 15840000000n; undefined for what is no price. Digits below 10^-8 are cut off. */
export function parseRate(text: string): Rate | undefined {
  const [, whole, fraction = ''] = RATE.exec(text) ?? []
  if (whole === undefined) return undefined
  const rate = BigInt(whole + fraction.slice(0, RATE_DIGITS).padEnd(RATE_DIGITS, '0'))
  return rate > 0n ? rate : undefined
}

/** "158.40000000" */
export const rateText = (rate: Rate): string => withPoint(rate, RATE_DIGITS)

/** What has to be sent: rounded up, so that it is never worth less than was asked for. */
export function piconeroFor(cents: Cents, rate: Rate): Piconero {
  const divisor = rate * STEP
  return ((BigInt(cents) * PER_CENT + divisor - 1n) / divisor) * STEP
}

/** Rounds down once, so that no client is credited with money that did not arrive. */
export function worthInCents(parts: readonly { pico: Piconero; rate: Rate }[]): Cents {
  const sum = parts.reduce((total, { pico, rate }) => total + pico * rate, 0n)
  return Number(sum / PER_CENT)
}

/** "0.031566": six digits, and more only where they are not zero. */
export const xmrText = (pico: Piconero): string =>
  withPoint(pico, XMR_DIGITS).replace(/(\.\d{6}\d*?)0+$/, '$1')

export const sumOf = (parts: readonly { pico: Piconero }[]): Piconero =>
  parts.reduce((total, { pico }) => total + pico, 0n)

function withPoint(units: bigint, digits: number): string {
  const text = String(units).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
