import { and, eq, min, notInArray } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'

/** Orders about a server that its client already has. */
const LATER = ['renewal', 'change'] as const

/**
 * When a client ordered the server of a token; undefined for who took it over. Earlier entries of the
 * log concern other clients.
 */
export async function orderedAt(
  db: Db,
  { tokenId, userId }: { tokenId: number; userId: number },
): Promise<Date | undefined> {
  const [row] = await db
    .select({ at: min(orders.createdAt) })
    .from(orders)
    .where(
      and(
        eq(orders.tokenId, tokenId),
        eq(orders.userId, userId),
        notInArray(orders.kind, [...LATER]),
      ),
    )
  return row?.at ?? undefined
}
