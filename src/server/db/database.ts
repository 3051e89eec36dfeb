import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { Db as QueueDb } from 'pg-boss'

/** Queries. Inside `db.transaction(async (tx) => …)` the `tx` has the same type: use only `tx`. */
export type Db = PgDatabase<PgQueryResultHKT>

/** An open database of either kind. */
export type Database = {
  kind: 'embedded' | 'postgres'
  db: Db
  /** The same database, as the queue uses it. */
  queue: QueueDb
  /** Calls `onMessage` for each NOTIFY, and `onGap` when some may have been missed. */
  listen(
    channel: string,
    onMessage: (payload: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>>
  /**
   * Waits, for a limited time, until no query waits for a connection: requests come before
   * background work.
   */
  waitForIdlePool(): Promise<void>
  /** Maintenance that PostgreSQL does by itself and the embedded database does not. */
  maintain(): Promise<void>
  close(): Promise<void>
}

/** SQLSTATE of a failed statement; drizzle wraps the driver's error. */
export function sqlState(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code
  }
  return undefined
}

/**
 * The text contains a character that cannot be stored: zero, in a text (22021) or in JSON (22P05).
 */
export const isUnstorable = (error: unknown): boolean =>
  ['22021', '22P05'].includes(sqlState(error) ?? '')

/**
 * The database aborted a statement, and with it the whole transaction: a deadlock (40P01), a
 * serialisation failure (40001), a timeout, or no space left.
 */
export const isGivenUp = (error: unknown): boolean =>
  ['40P01', '40001', '55P03', '57014', '53100', '53200', '53400'].includes(sqlState(error) ?? '')

/** No connection became free in time: there are more concurrent requests than the pool serves. */
export function isPoolBusy(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.message === 'timeout exceeded when trying to connect') return true
  }
  return false
}

/** The constraint that a failed statement violated. */
export function brokenConstraint(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const name = (at as { constraint?: unknown }).constraint
    if (typeof name === 'string') return name
  }
  return undefined
}
