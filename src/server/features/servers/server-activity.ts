import { and, desc, eq, gte, inArray, lt, not, or, type SQL, sql } from 'drizzle-orm'
import { orderedAt } from '../../audit/ordered-at.ts'
import { sinceTakenOver } from '../../audit/taken-over.ts'
import { doneBy, ENTRY } from '../../audit/timeline.ts'
import type { Db } from '../../db/database.ts'
import { auditLog, users } from '../../db/schema/accounts.ts'
import { orders } from '../../db/schema/sales.ts'
import { instanceFor, type JoinedInstance } from '../../inventory/views/instance-rows.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'

/** What a client may read of an entry's details; the rest can name nodes, ids and accounts. */
const FOR_CLIENTS = ['reason', 'changed', 'osType', 'notApplied']

type Page = { before?: number | undefined; limit: number }

/**
 * Everything anyone did with a server, operators and simulations included, newest first. Its owner
 * reads from the first order on, or from the moment it was handed over: earlier entries concern a
 * former owner.
 */
export async function serverActivity(db: Db, actor: Actor, id: number, { before, limit }: Page) {
  const row = await instanceFor(db, actor, id)
  const since = isAdmin(actor) ? undefined : await ownedSince(db, row, actor.user.id)
  const isOfServer = eq(auditLog.target, `instance:${id}`)
  const entries = await db
    .select({ ...ENTRY, details: auditLog.details })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.actorId))
    .where(
      and(
        concerning(db, row),
        since && gte(auditLog.at, since),
        since && sinceTakenOver(`instance:${id}`),
        // A VM that an operator gave to a waiting order can have been another client's until then.
        since && or(not(isOfServer), gte(auditLog.at, row.token?.createdAt ?? since)),
        before === undefined ? undefined : lt(auditLog.id, before),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit)
  return entries.map((entry) => ({
    id: entry.id,
    at: entry.at,
    action: entry.action,
    by: by(doneBy(entry, actor)),
    details: isAdmin(actor) ? entry.details : pick(entry.details),
  }))
}

const by = (who: ReturnType<typeof doneBy>) => (who === 'admin' ? ('operator' as const) : who)

const pick = (details: Record<string, unknown>) =>
  Object.fromEntries(FOR_CLIENTS.flatMap((key) => (key in details ? [[key, details[key]]] : [])))

/** Entries about the machine, its time and its orders; a look at the login names the account. */
function concerning(db: Db, { id, tokenId, ownerId }: JoinedInstance): SQL | undefined {
  const isReveal = and(
    eq(auditLog.subjectId, ownerId ?? 0),
    eq(auditLog.action, 'instance.reveal'),
    sql`${auditLog.details} ->> 'instanceId' = ${String(id)}`,
  )
  if (tokenId === null) return or(eq(auditLog.target, `instance:${id}`), isReveal)
  const ofOrders = db
    .select({ target: sql<string>`concat('order:', ${orders.id})` })
    .from(orders)
    .where(and(eq(orders.tokenId, tokenId), eq(orders.userId, ownerId ?? 0)))
  return or(
    inArray(auditLog.target, [`instance:${id}`, `token:${tokenId}`]),
    inArray(auditLog.target, ofOrders),
    isReveal,
  )
}

const ownedSince = async (db: Db, { tokenId, createdAt }: JoinedInstance, userId: number) =>
  (tokenId === null ? undefined : await orderedAt(db, { tokenId, userId })) ?? createdAt
