import { and, eq, gte, min } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import { timeline } from '../../audit/timeline.ts'
import type { Db } from '../../db/database.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'

/** The history of a token. Its owner sees it from its assignment on; other clients see nothing. */
export async function timelineOf(db: Db, actor: Actor, tokenId: number) {
  const since = isAdmin(actor)
    ? await existing(db, tokenId)
    : await ownedSince(db, tokenId, actor.user.id)
  return await timeline(
    db,
    actor,
    eq(auditLog.target, `token:${tokenId}`),
    since === undefined ? undefined : gte(auditLog.at, since),
  )
}

async function existing(db: Db, tokenId: number): Promise<undefined> {
  const [row] = await db.select({ id: tokens.id }).from(tokens).where(eq(tokens.id, tokenId))
  if (!row) throw notFound('Token')
}

/** Earlier entries concern previous owners. */
async function ownedSince(db: Db, tokenId: number, userId: number): Promise<Date> {
  const [row] = await db
    .select({ id: tokens.id, since: min(orders.createdAt) })
    .from(tokens)
    .leftJoin(orders, and(eq(orders.tokenId, tokens.id), eq(orders.userId, userId)))
    .where(and(eq(tokens.id, tokenId), eq(tokens.assignedUserId, userId)))
    .groupBy(tokens.id)
  if (!row) throw notFound('Token')
  return row.since ?? new Date(0)
}
