import { and, eq, inArray } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DAY_MS } from '#shared/rules/durations.ts'
import type { Cents } from '#shared/rules/money.ts'
import type { Db } from '../../db/database.ts'
import { tokens } from '../../db/schema/stock.ts'
import { heldIn, transfer } from '../../payments/ledger.ts'
import { type PaymentRow, paymentsOf } from '../../payments/payment-rows.ts'
import type { OrderRow } from '../../provisioning/orders.ts'
import { releaseOrder } from '../../provisioning/release.ts'
import type { OrdersDeps } from './orders.service.ts'

export type RefundTo = 'provider' | 'credit' | 'none'

/** Ends an order by an admin's word. What was paid goes where the admin says. */
export async function cancelOrder(
  tx: Db,
  order: OrderRow,
  refund: RefundTo,
  deps: OrdersDeps,
): Promise<OrderRow> {
  const now = deps.clock.now()
  const about = { userId: order.userId, orderId: order.id, at: now }
  if (order.status === 'active' && refund !== 'none') {
    const cents = await heldIn(tx, 'earned', order.id)
    await transfer(tx, { ...about, from: 'earned', to: 'held', cents, reason: 'taken back' })
  }
  const held = await heldIn(tx, 'held', order.id)
  if (refund === 'none' && held > 0) {
    await transfer(tx, { ...about, from: 'held', to: 'earned', cents: held, reason: 'kept' })
  }
  const back = refund === 'provider' ? await sendBack(tx, order, held, deps) : 0
  const row = await releaseOrder(tx, order, { now, by: 'admin', keepHeld: back })
  if (order.status === 'active') await endServer(tx, order, deps)
  return row
}

/** What of these payments the provider of this house could send back. */
export function returnable(
  rows: readonly PaymentRow[],
  { provider }: Pick<OrdersDeps, 'provider'>,
): { payment: PaymentRow; cents: Cents }[] {
  const { name, refund } = provider()
  if (!refund) return []
  return rows.flatMap((payment) => {
    const cents = payment.receivedCents - payment.refundedCents
    return payment.provider === name && cents > 0 ? [{ payment, cents }] : []
  })
}

async function sendBack(tx: Db, order: OrderRow, held: Cents, deps: OrdersDeps): Promise<Cents> {
  const options = returnable(await paymentsOf(tx, [order.id]), deps)
  if (options.length === 0) {
    throw new AppError('INVALID_STATE', 'Nothing of this order can be sent back. Choose credit.')
  }
  let left = held
  for (const { payment, cents: most } of options) {
    const cents = Math.min(left, most)
    if (cents === 0) continue
    await deps.jobs.enqueue(tx, deps.refund, {
      orderId: order.id,
      paymentId: payment.id,
      cents,
      before: payment.refundedCents,
    })
    left -= cents
  }
  return held - left
}

/** A server is stopped and kept for the grace period; a renewal only takes its time back. */
async function endServer(tx: Db, order: OrderRow, deps: OrdersDeps): Promise<void> {
  const { tokenId, userId } = order
  if (tokenId === null || userId === null) return
  const now = deps.clock.now()
  const isHis = and(
    eq(tokens.id, tokenId),
    eq(tokens.assignedUserId, userId),
    inArray(tokens.status, ['assigned', 'expired']),
  )
  const [token] = await tx.select().from(tokens).where(isHis).for('update')
  if (!token) return
  if (order.kind === 'renewal') {
    const shorter = (token.expiresAt ?? now).getTime() - token.durationDays * DAY_MS
    const expiresAt = new Date(Math.max(now.getTime(), shorter))
    await tx.update(tokens).set({ expiresAt }).where(isHis)
    return
  }
  await tx.update(tokens).set({ status: 'cancelled', cancelledAt: now }).where(isHis)
  const input = { tokenId, name: token.name, since: now.toISOString() }
  await deps.jobs.enqueue(tx, deps.stop, input, { ownerId: userId })
}
