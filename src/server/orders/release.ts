import { and, eq } from 'drizzle-orm'
import type { Cents } from '#shared/rules/money/money.ts'
import type { OrderMover } from '#shared/rules/money/order-status.ts'
import { stockStatus } from '#shared/rules/token/token-status.ts'
import { settleToken } from '../addresses/settle-addresses.ts'
import type { Db } from '../db/database.ts'
import { payments } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { moveTokens } from '../tokens/move-token.ts'
import { moveOrder, type OrderRow } from './orders.ts'

/**
 * Puts a claimed token back on sale; deletes one that was made for its order. Returns false if the
 * token is not claimed by this user.
 */
export async function returnToStock(
  tx: Db,
  tokenId: number,
  userId: number,
  now: Date,
): Promise<boolean> {
  const isClaimed = and(
    eq(tokens.id, tokenId),
    eq(tokens.status, 'pending'),
    eq(tokens.assignedUserId, userId),
  )
  const [token] = await tx.select().from(tokens).where(isClaimed).for('update')
  if (!token) return false
  if (token.forOrder !== null) {
    await tx.delete(tokens).where(isClaimed)
    await settleToken(tx, token, now)
    return true
  }
  const to = stockStatus(token.tokenType)
  await moveTokens(tx, isClaimed, { to, values: { assignedUserId: null } })
  return true
}

/**
 * Takes the token off the market for good, with its address, because its VM could not be removed.
 */
export async function retire(tx: Db, tokenId: number, userId: number, now: Date): Promise<boolean> {
  const isClaimed = and(eq(tokens.id, tokenId), eq(tokens.assignedUserId, userId))
  const retired = await moveTokens(tx, isClaimed, {
    to: 'cancelled',
    from: ['pending'],
    now,
    values: { assignedUserId: null },
  })
  for (const token of retired) await settleToken(tx, token, now)
  return retired.length > 0
}

type Release = {
  now: Date
  by?: OrderMover
  keepHeld?: Cents
  /** The reservation expired unpaid, so the client's next one has to wait. */
  hasLapsed?: boolean
}

/** Ends an order that will not be delivered: frees its token and turns its money into credit. */
export async function releaseOrder(tx: Db, order: OrderRow, move: Release): Promise<OrderRow> {
  const { hasLapsed = false, ...rest } = move
  const isReservation = order.kind === 'purchase' || order.kind === 'package'
  const values = hasLapsed && isReservation ? { lapsedAt: move.now } : {}
  const row = await moveOrder(tx, order, { to: 'cancelled', ...rest, values })
  // No provider will ever report the end of a manual payment.
  await tx
    .update(payments)
    .set({ status: 'expired', updatedAt: move.now })
    .where(
      and(
        eq(payments.orderId, order.id),
        eq(payments.provider, 'manual'),
        eq(payments.status, 'pending'),
      ),
    )
  const isClaim = order.kind === 'purchase' && order.status === 'pending'
  if (isClaim && order.tokenId !== null && order.userId !== null) {
    await returnToStock(tx, order.tokenId, order.userId, move.now)
  }
  return row
}
