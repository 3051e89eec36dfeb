import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import { priceText } from '../format/price.ts'

/** How a price is paid: credit first, then the rest. */
export function splitPrice(price: string, credit: string): { fromCredit: string; toPay: string } {
  const asked = parseAmount(price) ?? 0
  const used = Math.min(asked, parseAmount(credit) ?? 0)
  return { fromCredit: decimal(used), toPay: decimal(asked - used) }
}

/** The label of a button that pays: "Buy for $12.00", or what credit leaves of it. */
export function payLabel(verb: string, price: string, credit: string): string {
  const { fromCredit, toPay } = splitPrice(price, credit)
  if (isNothing(price)) return `${verb} for free`
  if (isNothing(fromCredit)) return `${verb} for ${priceText(price)}`
  return isNothing(toPay) ? `${verb} with credit` : `${verb}: ${priceText(toPay)} to pay`
}

export const isNothing = (amount: string): boolean => (parseAmount(amount) ?? 0) === 0
