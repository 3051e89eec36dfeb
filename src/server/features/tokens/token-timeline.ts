import { and, asc, eq, gte, min } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { auditLog, users } from '../../db/schema/accounts.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import type { Actor } from '../../sessions/actor.ts'

type By = 'you' | 'client' | 'admin' | 'system'

/** What happened to a token. Its owner sees what happened since it was theirs; nobody else anything. */
export async function timelineOf(db: Db, actor: Actor, tokenId: number) {
  const isAdmin = actor.user.role === 'admin' && actor.admin === undefined
  const since = isAdmin ? await existing(db, tokenId) : await ownedSince(db, tokenId, actor.user.id)
  const rows = await db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      action: auditLog.action,
      actorId: auditLog.actorId,
      adminId: auditLog.adminId,
      role: users.role,
    })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.actorId))
    .where(
      and(
        eq(auditLog.target, `token:${tokenId}`),
        since === undefined ? undefined : gte(auditLog.at, since),
      ),
    )
    .orderBy(asc(auditLog.id))
  const by = (row: (typeof rows)[number]): By => {
    if (row.actorId === null) return 'system'
    if (row.adminId !== null) return 'admin'
    if (row.actorId === actor.user.id) return 'you'
    return row.role === 'admin' ? 'admin' : 'client'
  }
  return rows.map((row) => ({ id: row.id, at: row.at, action: row.action, by: by(row) }))
}

async function existing(db: Db, tokenId: number): Promise<undefined> {
  const [row] = await db.select({ id: tokens.id }).from(tokens).where(eq(tokens.id, tokenId))
  if (!row) throw notFound('Token')
}

/** Before that it was somebody else's business. */
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
