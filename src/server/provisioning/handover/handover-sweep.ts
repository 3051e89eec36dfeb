import { and, eq, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import { handoverCodes, handovers } from '../../db/schema/handovers.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs as jobsTable } from '../../db/schema/work.ts'
import type { Deps } from '../../runtime/deps.ts'
import { DELIVERED } from '../../tokens/token-rows.ts'
import { beginHandover } from './begin-handover.ts'
import type { HandoverJob } from './handover-job.ts'

/** How long after giving up (after a long outage of the cluster) a job is retried. */
const RETRY_SECONDS = 5 * 60

type SweepDeps = Pick<Deps, 'db' | 'clock' | 'jobs'> & { handover: HandoverJob }

/** Until a job succeeds, the new owner of a server has no login. Deletes codes whose time is over. */
export function handoverSweep({ db, clock, jobs, handover }: SweepDeps) {
  const ofJob = eq(jobsTable.id, handovers.jobId)

  /** Those that gave up while their cluster was away. */
  const retryFailed = async (): Promise<void> => {
    const failed = await db
      .select({ id: jobsTable.id })
      .from(handovers)
      .innerJoin(jobsTable, ofJob)
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

  /**
   * Those that had nothing to do because the server had ended. Restored, it would keep the former
   * owner's login.
   */
  const beginAgain = async (): Promise<void> => {
    const cut = await db
      .select({
        handoverId: handovers.id,
        jobId: handovers.jobId,
        instanceId: instances.id,
        tokenId: tokens.id,
        name: instances.name,
        ownerId: instances.ownerId,
      })
      .from(handovers)
      .innerJoin(jobsTable, ofJob)
      .innerJoin(tokens, eq(tokens.id, handovers.tokenId))
      .innerJoin(
        instances,
        and(eq(instances.id, handovers.instanceId), eq(instances.tokenId, tokens.id)),
      )
      .where(
        and(
          isNull(handovers.loginSetAt),
          eq(jobsTable.state, 'done'),
          inArray(tokens.status, DELIVERED),
          isNotNull(instances.marker),
        ),
      )
    for (const { ownerId, jobId, ...input } of cut) {
      if (ownerId === null || jobId === null) continue
      await db.transaction(async (tx) => {
        // Every process sweeps: the one that locks the row first gives it another job.
        const isUnchanged = and(eq(handovers.id, input.handoverId), eq(handovers.jobId, jobId))
        const [row] = await tx.select().from(handovers).where(isUnchanged).for('update')
        if (row) await beginHandover(tx, input, ownerId, { jobs, handover })
      })
    }
  }

  return async (): Promise<void> => {
    await db.delete(handoverCodes).where(lte(handoverCodes.expiresAt, clock.now()))
    await retryFailed()
    await beginAgain()
  }
}
