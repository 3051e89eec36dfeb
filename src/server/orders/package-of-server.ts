import { and, desc, eq, ne, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { orders, packages } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'

/**
 * Orders that say which package a server has: the last one counts. A change counts once it is done.
 */
export const saysPackage = and(
  ne(orders.kind, 'renewal'),
  or(ne(orders.kind, 'change'), eq(orders.status, 'active')),
)

/** To be joined to a token: what its package grants, that of its last order or change. */
export const planOf = (db: Db) =>
  db
    .select({
      rateMbit: packages.rateMbit,
      trafficGb: packages.trafficGb,
      trafficCounts: packages.trafficCounts,
      slowMbit: packages.slowMbit,
      backupLimit: packages.backupLimit,
      lastBackup: packages.lastBackup,
    })
    .from(orders)
    .innerJoin(packages, eq(packages.id, orders.planId))
    .where(and(eq(orders.tokenId, tokens.id), saysPackage))
    .orderBy(desc(orders.id))
    .limit(1)
    .as('plan')

/** The same as a row to look up by itself, for a query that has no join to spare. */
export const lastPlanOf = (tokenId: SQLWrapper): SQL => sql`
  ${orders} join ${packages} on ${packages.id} = ${orders.planId}
  where ${orders.tokenId} = ${tokenId} and ${saysPackage} order by ${orders.id} desc limit 1`

export async function packageIdOf(tx: Db, tokenId: number): Promise<string | null> {
  const [order] = await tx
    .select({ planId: orders.planId })
    .from(orders)
    .where(and(eq(orders.tokenId, tokenId), saysPackage))
    .orderBy(desc(orders.id))
    .limit(1)
  return order?.planId ?? null
}
