import { and, eq, exists, inArray, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
import { sinceTakenOver } from '../../audit/taken-over.ts'
import type { Db } from '../../db/database.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { instances } from '../../db/schema/stock.ts'

const ACTS = [
  'instance.start',
  'instance.stop',
  'instance.shutdown',
  'instance.restart',
  'instance.console',
  'instance.configure',
  'instance.suspend',
  'instance.resume',
]

/**
 * Actions of operators on this client's servers, as themselves or while simulating the client. The
 * client sees who acted on its servers.
 */
export const operatorActs = (db: Db, userId: number): SQL | undefined =>
  and(
    inArray(auditLog.action, ACTS),
    exists(
      db
        .select({ id: instances.id })
        .from(instances)
        .where(
          and(
            eq(instances.ownerId, userId),
            eq(auditLog.target, sql`concat('instance:', ${instances.id})`),
          ),
        ),
    ),
    or(isNotNull(auditLog.adminId), ne(auditLog.actorId, userId)),
    // Earlier ones concern a former owner, and are not by operators only.
    sinceTakenOver(auditLog.target),
  )

/** The names of the servers in these entries, by their target in the log. */
export async function serverNames(
  db: Db,
  targets: readonly (string | null)[],
): Promise<Map<string, string>> {
  const ids = targets.flatMap((target) => {
    const id = /^instance:(\d{1,10})$/.exec(target ?? '')?.[1]
    return id === undefined ? [] : [Number(id)]
  })
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: instances.id, name: instances.name })
    .from(instances)
    .where(inArray(instances.id, [...new Set(ids)]))
  return new Map(rows.map(({ id, name }) => [`instance:${id}`, name]))
}
