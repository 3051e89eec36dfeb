import { and, eq, exists, inArray, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
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
 * What somebody else did to the servers of this client: an operator, as itself or in the client's
 * place. The client sees it, for it may wonder who was at its machine.
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
  )

/** The names of the servers these entries are about, by what the log calls them. */
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
