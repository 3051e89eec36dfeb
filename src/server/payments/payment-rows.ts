import { and, asc, count, eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import { type Payment, PaymentState } from '#shared/api/money/payments.ts'
import { decimal } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { payments } from '../db/schema/sales.ts'

export type PaymentRow = typeof payments.$inferSelect

/** States in which money may still arrive. */
export const OPEN: PaymentState[] = ['pending', 'confirming']

export const paymentsOf = (db: Db, orderIds: number[]): Promise<PaymentRow[]> =>
  db.select().from(payments).where(inArray(payments.orderId, orderIds)).orderBy(asc(payments.id))

export const openPaymentsOf = (db: Db, orderId: number): Promise<PaymentRow[]> =>
  db
    .select()
    .from(payments)
    .where(and(eq(payments.orderId, orderId), inArray(payments.status, OPEN)))
    .orderBy(asc(payments.id))

/** How many payments are open at each provider; none: it is not named. */
export async function openPaymentsByProvider(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .select({ provider: payments.provider, open: count() })
    .from(payments)
    .where(inArray(payments.status, OPEN))
    .groupBy(payments.provider)
  return new Map(rows.map(({ provider, open }) => [provider, open]))
}

export const stateOf = (row: Pick<PaymentRow, 'status'>): PaymentState =>
  PaymentState.parse(row.status)

export const toPayment = (row: PaymentRow): z.input<typeof Payment> => ({
  id: row.id,
  orderId: row.orderId,
  provider: row.provider,
  amount: decimal(row.amountCents),
  received: decimal(row.receivedCents),
  refunded: decimal(row.refundedCents),
  seen: decimal(row.seenCents),
  currency: row.currency,
  status: stateOf(row),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})
