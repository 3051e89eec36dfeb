import { and, eq, isNotNull } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'
import { moveOrder } from '../orders/orders.ts'

/**
 * A trial that could not be delivered does not count as used (T4). Claiming another one cancels the
 * failed order; until then an admin may still retry it.
 */
export async function giveUpFailedTrial(tx: Db, userId: number, now: Date): Promise<void> {
  const isUndelivered = and(eq(orders.status, 'paid'), isNotNull(orders.failure))
  const [failed] = await tx
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.userId, userId), eq(orders.kind, 'trial'), isUndelivered))
    .for('update')
  if (failed) await moveOrder(tx, failed, { to: 'cancelled', now })
}
