import { and, desc, eq, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'

/**
 * Orders that say which package a server has: the last one counts. A change counts once it is done.
 */
export const saysPackage = and(
  ne(orders.kind, 'renewal'),
  or(ne(orders.kind, 'change'), eq(orders.status, 'active')),
)

/** The same in SQL over orders called `o`. */
export const oSaysPackage: SQL = sql`o.kind <> 'renewal' and (o.kind <> 'change' or o.status = 'active')`

export async function packageIdOf(tx: Db, tokenId: number): Promise<string | null> {
  const [order] = await tx
    .select({ planId: orders.planId })
    .from(orders)
    .where(and(eq(orders.tokenId, tokenId), saysPackage))
    .orderBy(desc(orders.id))
    .limit(1)
  return order?.planId ?? null
}
