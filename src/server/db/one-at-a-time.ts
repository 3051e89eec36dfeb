import { sql } from 'drizzle-orm'
import type { Db } from './database.ts'

/** Any fixed number: every change of an account takes this lock. */
const ACCOUNTS_LOCK = 7_304_216

/**
 * Every change of accounts takes this first: two administrators who leave at once cannot both find
 * the other staying, and no two changes wait for each other's rows.
 */
export const oneAtATime = (tx: Db) =>
  tx.execute(sql`select pg_advisory_xact_lock(${ACCOUNTS_LOCK})`)
