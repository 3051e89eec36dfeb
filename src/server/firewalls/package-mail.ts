import { eq } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { firewalls } from '../db/schema/firewalls.ts'
import { orders, packages } from '../db/schema/sales.ts'

type NewServer = { instanceId: number; orderId: number }

/** Opens port 25 of a new server if its package says so. Later an operator's word counts. */
export async function openMailByPackage(db: Db, { instanceId, orderId }: NewServer): Promise<void> {
  const [plan] = await db
    .select({ mailOpen: packages.mailOpen })
    .from(orders)
    .innerJoin(packages, eq(packages.id, orders.planId))
    .where(eq(orders.id, orderId))
  if (!plan?.mailOpen) return
  await db.insert(firewalls).values({ instanceId, isMailOpen: true }).onConflictDoNothing()
}
