import { and, eq, gte, inArray, min, or } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import { HANDED_OVER, sinceTakenOver, TAKEN_OVER } from '../../audit/taken-over.ts'
import { timeline } from '../../audit/timeline.ts'
import type { Db } from '../../db/database.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'

/** The history of a token. Its owner sees it from its assignment on; other clients see nothing. */
export async function timelineOf(db: Db, actor: Actor, tokenId: number) {
  const { since, server } = isAdmin(actor)
    ? await existing(db, tokenId)
    : await ownedSince(db, tokenId, actor.user.id)
  const isTransfer = and(
    eq(auditLog.target, server),
    inArray(auditLog.action, [HANDED_OVER, TAKEN_OVER]),
  )
  return await timeline(
    db,
    actor,
    or(eq(auditLog.target, `token:${tokenId}`), isTransfer),
    since && gte(auditLog.at, since),
    since && sinceTakenOver(server),
  )
}

const serverOf = ({ instanceId }: { instanceId: number | null }) => `instance:${instanceId ?? 0}`

async function existing(db: Db, tokenId: number) {
  const [row] = await db
    .select({ instanceId: tokens.assignedInstanceId })
    .from(tokens)
    .where(eq(tokens.id, tokenId))
  if (!row) throw notFound('Token')
  return { since: undefined, server: serverOf(row) }
}

/** Earlier entries concern previous owners. */
async function ownedSince(db: Db, tokenId: number, userId: number) {
  const [row] = await db
    .select({ instanceId: tokens.assignedInstanceId, since: min(orders.createdAt) })
    .from(tokens)
    .leftJoin(orders, and(eq(orders.tokenId, tokens.id), eq(orders.userId, userId)))
    .where(and(eq(tokens.id, tokenId), eq(tokens.assignedUserId, userId)))
    .groupBy(tokens.id)
  if (!row) throw notFound('Token')
  return { since: row.since ?? new Date(0), server: serverOf(row) }
}
