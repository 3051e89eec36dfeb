import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import type { Receipt } from '#shared/api/shop/receipts.ts'
import { isNothing } from '../../../lib/billing/credit.ts'
import { couponWords, KIND_WORDS, orderTitle } from '../../../lib/billing/order-words.ts'
import { paymentRemark, providerWords } from '../../../lib/billing/payment-words.ts'
import { priceText } from '../../../lib/format/price.ts'
import { calendarDay } from '../../../lib/format/time.ts'
import type { Line } from './receipt-paper.tsx'

export const dayOf = (at: string): string => calendarDay(new Date(at))

const noteOf = (parts: readonly (string | null | undefined)[], between: string): string =>
  parts.filter(Boolean).join(between)

/** What is paid, but not delivered yet. */
export function paidLines({ order, payments }: ClientOrderDetails): Line[] {
  const paid = payments.filter(({ received }) => !isNothing(received))
  return [
    {
      what: orderTitle(order),
      note: noteOf([KIND_WORDS[order.kind], order.osType, couponWords(order)], ', '),
      amount: priceText(order.amount),
      isStrong: true,
    },
    ...(isNothing(order.credit)
      ? []
      : [{ what: 'Paid from credit', amount: priceText(order.credit) }]),
    ...paid.map((payment) => ({
      what: providerWords(payment.provider),
      note: noteOf([dayOf(payment.updatedAt), paymentRemark(payment)], '. '),
      amount: priceText(payment.received),
    })),
  ]
}

/** The same as it was issued. */
export function issuedLines(receipt: Receipt): Line[] {
  const { orderKind: kind, what: planName, osType, amount, paidBy } = receipt
  const isNote = receipt.kind === 'credit note'
  const { code = null, discount = '0.00' } = receipt.coupon ?? {}
  const coupon = couponWords({ coupon: code, discount })
  return [
    {
      what: orderTitle({ kind, planName }),
      note: noteOf([KIND_WORDS[kind], osType, coupon, isNote ? 'taken back' : null], ', '),
      amount: isNote ? `−${priceText(amount)}` : priceText(amount),
      isStrong: true,
    },
    ...paidBy.map(({ by, amount: part }) => ({
      what: by === 'credit' ? 'Paid from credit' : providerWords(by),
      amount: priceText(part),
    })),
  ]
}

/** "15 November 2026 to 15 December 2026" */
export function periodWords({ period }: Pick<Receipt, 'period'>): string | undefined {
  if (period === null) return undefined
  const { from, to } = period
  return from === null ? `until ${dayOf(to)}` : `${dayOf(from)} to ${dayOf(to)}`
}
