import { type Cents, decimal } from '#shared/rules/money/money.ts'

const DECIMAL = /^(\d{1,20})(?:\.(\d{1,20}))?$/

/** A decimal number held exactly: units / 10^scale. Money never passes through a float. */
type Exact = { units: bigint; scale: number }

function exact(text: string): Exact {
  const match = DECIMAL.exec(text)
  if (!match) throw new RangeError(`not a decimal number: ${text}`)
  const fraction = match[2] ?? ''
  return { units: BigInt(`${match[1]}${fraction}`), scale: fraction.length }
}

const rescaled = ({ units, scale }: Exact, to: number): bigint => units * 10n ** BigInt(to - scale)

const minus = (a: Exact, b: Exact): Exact => {
  const scale = Math.max(a.scale, b.scale)
  return { units: rescaled(a, scale) - rescaled(b, scale), scale }
}

const plus = (a: Exact, b: Exact): Exact => {
  const scale = Math.max(a.scale, b.scale)
  return { units: rescaled(a, scale) + rescaled(b, scale), scale }
}

const times = (a: Exact, b: Exact): Exact => ({
  units: a.units * b.units,
  scale: a.scale + b.scale,
})

/** Rounds down to the cent, so that no client is credited with money that did not arrive. */
const inCents = ({ units, scale }: Exact): Cents =>
  scale <= 2 ? Number(rescaled({ units, scale }, 2)) : Number(units / 10n ** BigInt(scale - 2))

/** "5", "5.00" or "4.9999" → 500, 500, 499. Throws if the text is not a decimal number. */
export const centsOf = (text: string): Cents => inCents(exact(text))

/** True if both are the same amount, regardless of trailing zeroes. */
export const isAmount = (text: string, cents: Cents): boolean => {
  const difference = minus(exact(text), exact(decimal(cents)))
  return difference.units === 0n
}

const BTC_DIGITS = 8

/** "0.0001" bitcoin → "10000" sats. Lightning counts thousandths of them: those stay. */
export function satsOf(text: string): string {
  const { units, scale } = exact(text)
  if (scale <= BTC_DIGITS) return String(rescaled({ units, scale }, BTC_DIGITS))
  const one = 10n ** BigInt(scale - BTC_DIGITS)
  const rest = String(units % one)
    .padStart(scale - BTC_DIGITS, '0')
    .replace(/0+$/, '')
  return rest === '' ? String(units / one) : `${units / one}.${rest}`
}

type Part = { value: string; fee: string; rate: string }

/** The worth of all payments after their fees, each at the rate of its own method; rounded once. */
export function worthInCents(parts: Part[]): Cents {
  const sum = parts
    .map(({ value, fee, rate }) => times(minus(exact(value), exact(fee)), exact(rate)))
    .reduce(plus, { units: 0n, scale: 0 })
  return Math.max(0, inCents(sum))
}
