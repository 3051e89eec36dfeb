import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { jobSteps, jobs } from '../../db/schema/work.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { forgetSeed, PLAN, type Plan, withdraw } from './planned-seed.ts'

/** By then even a slow guest without an agent has read its settings. */
const READ_MS = 15 * MINUTE_MS

/**
 * Deletes the images that ended jobs have left, because the cluster did not let them go.
 */
export function createSeedSweep(deps: Pick<JobDeps, 'db' | 'clock' | 'hypervisors' | 'log'>) {
  const { db, clock, log } = deps
  return async (): Promise<void> => {
    const left = await db
      .select({ jobId: jobSteps.jobId, output: jobSteps.output })
      .from(jobSteps)
      .innerJoin(jobs, eq(jobs.id, jobSteps.jobId))
      .where(
        and(
          eq(jobSteps.step, PLAN),
          sql`jsonb_exists(${jobSteps.output}, 'planned')`,
          inArray(jobs.state, ['done', 'failed']),
          lt(jobs.finishedAt, new Date(clock.now().getTime() - READ_MS)),
        ),
      )
    if (left.length === 0) return
    const known = new Set((await db.select({ id: clusters.id }).from(clusters)).map(({ id }) => id))
    for (const { jobId, output } of left) {
      const { planned } = output as Plan
      if (!planned) continue
      try {
        // The images of a cluster that was removed from here are its operator's business.
        if (known.has(planned.clusterId)) await withdraw(deps, planned)
        await forgetSeed(db, jobId)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        log.warn({ err: error, jobId }, 'an image with user data could not be deleted yet')
      }
    }
  }
}
