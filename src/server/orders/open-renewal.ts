import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'
import type { OrderRow } from './orders.ts'

/** The renewal of this server that waits for its payment. Locks it: orders before tokens. */
export async function openRenewal(
  tx: Db,
  { userId, tokenId }: { userId: number; tokenId: number },
): Promise<OrderRow | undefined> {
  const [open] = await tx
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.tokenId, tokenId),
        eq(orders.userId, userId),
        eq(orders.kind, 'renewal'),
        eq(orders.status, 'pending'),
      ),
    )
    .for('update')
  return open
}
