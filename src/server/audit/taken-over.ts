import { gte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { auditLog } from '../db/schema/accounts.ts'

/** The entry of the former owner, and right after it that of the new one. */
export const HANDED_OVER = 'instance.handed-over'
export const TAKEN_OVER = 'instance.taken-over'

/**
 * Entries from the moment a server came to the account that has it now; all of them if it was never
 * handed over. By id, because a clock can be set back. `target` is the server's, as in the log.
 */
export const sinceTakenOver = (target: SQLWrapper | string): SQL =>
  gte(
    auditLog.id,
    sql`coalesce((select max(t.id) from ${auditLog} t
      where t.target = ${target} and t.action = ${TAKEN_OVER}), 0)`,
  )
