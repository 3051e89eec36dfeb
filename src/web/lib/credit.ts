import { decimal, parseAmount } from '#shared/rules/money.ts'

/** How a price is paid: credit goes first, the rest is to pay. */
export function splitPrice(price: string, credit: string): { fromCredit: string; toPay: string } {
  const asked = parseAmount(price) ?? 0
  const used = Math.min(asked, parseAmount(credit) ?? 0)
  return { fromCredit: decimal(used), toPay: decimal(asked - used) }
}

export const isNothing = (amount: string): boolean => (parseAmount(amount) ?? 0) === 0
