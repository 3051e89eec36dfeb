import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { isStaffRole } from '#shared/rules/people/roles.ts'
import type { MadeWith } from '#shared/rules/token/given-by-hand.ts'
import type { Db } from '../db/database.ts'
import { auditLog, users } from '../db/schema/accounts.ts'
import type { Actor } from '../sessions/actor.ts'

type By = 'you' | 'client' | 'admin' | 'system'

/** An entry with what `doneBy` needs; the role is that of the actor's account. */
export const ENTRY = {
  id: auditLog.id,
  at: auditLog.at,
  action: auditLog.action,
  actorId: auditLog.actorId,
  actorSeal: auditLog.actorSeal,
  adminSeal: auditLog.adminSeal,
  role: users.role,
}

/**
 * The log's entries about something, oldest first, with their actors as far as the reader may know
 * them.
 */
export async function timeline(db: Db, actor: Actor, ...about: (SQL | undefined)[]) {
  const rows = await db
    .select({
      ...ENTRY,
      notApplied: sql<MadeWith[] | null>`${auditLog.details} -> 'notApplied'`,
    })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.actorId))
    .where(and(...about))
    .orderBy(asc(auditLog.id))
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    action: row.action,
    by: doneBy(row, actor),
    ...(row.notApplied && { notApplied: row.notApplied }),
  }))
}

type Done = Pick<typeof auditLog.$inferSelect, 'actorId' | 'actorSeal' | 'adminSeal'> & {
  role: string | null
}

/** Who did it, as far as the reader may know. */
export function doneBy(
  { actorId, actorSeal, adminSeal, role }: Done,
  reader: { user: { id: number } },
): By {
  if (actorSeal === null) return 'system'
  if (adminSeal !== null) return 'admin'
  if (actorId === reader.user.id) return 'you'
  return role !== null && isStaffRole(role) ? 'admin' : 'client'
}
