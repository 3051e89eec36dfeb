import { and, eq, gte, inArray, or } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import { orderedAt } from '../../audit/ordered-at.ts'
import { HANDED_OVER, sinceTakenOver, TAKEN_OVER } from '../../audit/taken-over.ts'
import { timeline } from '../../audit/timeline.ts'
import type { Db } from '../../db/database.ts'
import { auditLog } from '../../db/schema/accounts.ts'
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
    .select({ instanceId: tokens.assignedInstanceId })
    .from(tokens)
    .where(and(eq(tokens.id, tokenId), eq(tokens.assignedUserId, userId)))
  if (!row) throw notFound('Token')
  const since = (await orderedAt(db, { tokenId, userId })) ?? new Date(0)
  return { since, server: serverOf(row) }
}
