import { eq } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'
import { creditOf } from '../ledger/credit.ts'
import { transfer } from '../ledger/ledger.ts'
import { dueOf, type OrderRow } from '../orders/orders.ts'

/** Spends the client's credit first, but not on credit. The caller must hold `lockCredit()`. */
export async function spendCredit(
  tx: Db,
  order: OrderRow,
  now: Date,
  once: string | undefined,
): Promise<OrderRow> {
  if (order.userId === null || dueOf(order) === 0 || order.kind === 'top-up') return order
  const cents = Math.min(dueOf(order), Math.max(0, await creditOf(tx, order.userId)))
  if (cents === 0) return order
  await transfer(tx, {
    from: 'credit',
    to: 'held',
    cents,
    userId: order.userId,
    orderId: order.id,
    reason: 'paid from credit',
    at: now,
    ...(once !== undefined && { key: once }),
  })
  const [row] = await tx
    .update(orders)
    .set({ creditCents: order.creditCents + cents, updatedAt: now })
    .where(eq(orders.id, order.id))
    .returning()
  if (!row) throw notFound('Order')
  return row
}
