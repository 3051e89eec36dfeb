import { and, eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import { type ClientOrder, OrderKind, OrderStatus } from '#shared/api/orders.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money.ts'
import { type OrderMover, orderRefusal, ordersBefore } from '#shared/rules/order-status.ts'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'

export type OrderRow = typeof orders.$inferSelect

type Move = {
  to: OrderStatus
  now: Date
  by?: OrderMover
  /** Moves only the order this job works for. */
  ofJob?: string
  values?: Partial<Pick<OrderRow, 'failure' | 'jobId' | 'assignedNodeId' | 'assignedVmId'>> &
    Partial<Pick<OrderRow, 'trialEndsAt' | 'nextBillingAt'>>
}

/** The one function that changes an order's state: what the table (O2) does not allow fails. */
export async function moveOrder(tx: Db, id: number, move: Move): Promise<OrderRow> {
  const { to, now, by = 'system', values = {} } = move
  const [row] = await tx
    .update(orders)
    .set({ ...values, status: to, updatedAt: now })
    .where(
      and(
        eq(orders.id, id),
        inArray(orders.status, ordersBefore(to, by)),
        move.ofJob === undefined ? undefined : eq(orders.jobId, move.ofJob),
      ),
    )
    .returning()
  if (row) return row
  const [found] = await tx.select().from(orders).where(eq(orders.id, id))
  if (!found) throw notFound('Order')
  const status = OrderStatus.parse(found.status)
  const reason = orderRefusal(status, to, by) ?? 'Another job works on this order.'
  throw new AppError('INVALID_STATE', reason)
}

export const toClientOrder = (row: OrderRow): z.input<typeof ClientOrder> => ({
  id: row.id,
  planName: row.planName,
  osType: row.osType,
  amount: decimal(row.amountCents),
  currency: row.currency,
  status: OrderStatus.parse(row.status),
  createdAt: row.createdAt,
  trialEndsAt: row.trialEndsAt,
  assignedNodeId: row.assignedNodeId,
  assignedVmId: row.assignedVmId,
  kind: OrderKind.parse(row.kind),
  credit: decimal(row.creditCents),
  payBy: row.status === 'pending' ? row.payBy : null,
  failure: row.failure,
})
