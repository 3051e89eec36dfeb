import { sql } from 'drizzle-orm'
import type { Db } from './database.ts'

/** An arbitrary number: every change of an account takes this lock. */
const ACCOUNTS_LOCK = 7_304_216

/**
 * Every change of accounts takes this lock first: two administrators who leave at once cannot both
 * see the other one staying, and no two changes wait for each other's rows.
 */
export const oneAtATime = (tx: Db) =>
  tx.execute(sql`select pg_advisory_xact_lock(${ACCOUNTS_LOCK})`)
