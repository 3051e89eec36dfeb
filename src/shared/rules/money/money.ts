/** Money is integer cents internally; decimal strings and numbers exist only at the boundary. */
export type Cents = number

/** A million dollars: every price, order and balance of ours is smaller. */
export const MAX_CENTS: Cents = 100_000_000

const DECIMAL = /^(\d{1,7})(?:\.(\d{1,2}))?$/

/**
 * Parses "5", "5.0", "5.00" or 5; undefined for anything but an amount with at most two decimals.
 */
export function parseAmount(value: string | number): Cents | undefined {
  const match = DECIMAL.exec(String(value).trim())
  if (!match) return undefined
  const cents = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  return cents <= MAX_CENTS ? cents : undefined
}

/** 500 → "5.00" */
export function decimal(cents: Cents): string {
  const sign = cents < 0 ? '-' : ''
  const whole = Math.abs(cents)
  return `${sign}${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, '0')}`
}

/** 123450 → "$1,234.50" */
export const formatUsd = (cents: Cents): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(cents / 100)
