import { and, eq, isNull, lte, sql } from 'drizzle-orm'
import { handoverCodes, handovers } from '../../db/schema/handovers.ts'
import { jobs as jobsTable } from '../../db/schema/work.ts'
import type { Deps } from '../../runtime/deps.ts'

/** How long after giving up (after a long outage of the cluster) a job is retried. */
const RETRY_SECONDS = 5 * 60

/**
 * Retries the jobs that gave up while their cluster was away: until one succeeds the new owner has
 * no login. Deletes codes whose time is over.
 */
export function handoverSweep({ db, clock, jobs }: Pick<Deps, 'db' | 'clock' | 'jobs'>) {
  return async (): Promise<void> => {
    await db.delete(handoverCodes).where(lte(handoverCodes.expiresAt, clock.now()))
    const failed = await db
      .select({ id: jobsTable.id })
      .from(handovers)
      .innerJoin(jobsTable, eq(jobsTable.id, handovers.jobId))
      .where(
        and(
          isNull(handovers.loginSetAt),
          eq(jobsTable.state, 'failed'),
          sql`${jobsTable.failure} ->> 'retry' = 'later'`,
          // `abs`: a clock that ran ahead leaves times in the future.
          sql`abs(extract(epoch from now() - ${jobsTable.updatedAt})) >= ${RETRY_SECONDS}`,
        ),
      )
    for (const { id } of failed) await jobs.retry(id)
  }
}
