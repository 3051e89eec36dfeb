import { sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { jobSteps } from '../../db/schema/work.ts'

/** Longer than any work waits. */
const FOREVER_MS = 1e12

/** As if every step that fails had been tried again in vain, with pauses of so long in all. */
export const losePatience = (db: Db, ms = FOREVER_MS) =>
  db
    .update(jobSteps)
    .set({ failure: sql`jsonb_set(${jobSteps.failure}, '{paused,ms}', ${String(ms)}::jsonb)` })
    .where(sql`${jobSteps.failure} -> 'paused' is not null`)
