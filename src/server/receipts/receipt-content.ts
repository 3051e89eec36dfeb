import { and, asc, desc, eq, gt, inArray, lt } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { ReceiptContent, Seller } from '#shared/api/shop/receipts.ts'
import { type Cents, decimal } from '#shared/rules/money/money.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { ledger, receipts } from '../db/schema/ledger.ts'
import type { DueReceipt } from './due-receipts.ts'
import { receiptNumber } from './receipt-rows.ts'

/** What becomes earned or credit counts down in the ledger. */
export const kindOf = ({ entry }: Pick<DueReceipt, 'entry'>) =>
  entry.amountCents < 0 ? 'receipt' : 'credit note'

export async function contentOf(tx: Db, due: DueReceipt, seller: Seller): Promise<ReceiptContent> {
  const { entry, order } = due
  const isReceipt = kindOf(due) === 'receipt'
  return {
    seller,
    orderKind: order.kind,
    what: order.planName,
    osType: order.osType,
    orderedAt: order.createdAt.toISOString(),
    at: entry.at.toISOString(),
    amount: decimal(Math.abs(entry.amountCents)),
    currency: order.currency,
    ...(isReceipt && couponOf(order)),
    months: order.months,
    period: periodOf(due),
    paidBy: isReceipt ? await paidBy(tx, due) : [],
    corrects: isReceipt ? null : await lastReceipt(tx, order.id),
  }
}

const couponOf = ({ coupon: code, discountCents }: DueReceipt['order']) =>
  code === null ? {} : { coupon: { code, discount: decimal(discountCents) } }

/** The time that the delivery gave: a renewal adds to a term, anything else begins one. */
function periodOf({ entry, order, days }: DueReceipt): ReceiptContent['period'] {
  const { nextBillingAt: to } = order
  if (entry.reason !== 'delivered' || order.kind === 'top-up' || to === null) return null
  const length = days === null ? undefined : days * order.months * DAY_MS
  const renewedFrom = length === undefined ? undefined : new Date(to.getTime() - length)
  const from = order.kind === 'renewal' ? renewedFrom : entry.at
  return { from: from?.toISOString() ?? null, to: to.toISOString() }
}

/** Where the money came from: what was held for the order, or what this posting itself took. */
async function paidBy(tx: Db, { entry, order }: DueReceipt): Promise<ReceiptContent['paidBy']> {
  const other = alias(ledger, 'other')
  const isOwn = eq(ledger.posting, entry.posting)
  const [source] = await tx
    .select()
    .from(ledger)
    .where(and(isOwn, gt(ledger.amountCents, 0)))
  if (source && source.account !== 'held') return [part(source, source.amountCents)]
  const rows = await tx
    .select({ source: ledger })
    .from(ledger)
    .innerJoin(other, eq(other.posting, ledger.posting))
    .where(
      and(
        eq(ledger.orderId, order.id),
        inArray(ledger.account, ['received', 'vouchers', 'credit']),
        gt(ledger.amountCents, 0),
        eq(other.account, 'held'),
        lt(other.amountCents, 0),
        lt(ledger.id, entry.id),
      ),
    )
    .orderBy(asc(ledger.id))
  return rows.map((row) => part(row.source, row.source.amountCents))
}

type Entry = typeof ledger.$inferSelect

const part = ({ account, provider }: Pick<Entry, 'account' | 'provider'>, cents: Cents) => ({
  by: account === 'received' ? (provider ?? account) : account,
  amount: decimal(cents),
})

async function lastReceipt(tx: Db, orderId: number): Promise<string | null> {
  const [row] = await tx
    .select()
    .from(receipts)
    .where(and(eq(receipts.orderId, orderId), eq(receipts.kind, 'receipt')))
    .orderBy(desc(receipts.number))
    .limit(1)
  return row ? receiptNumber(row) : null
}
