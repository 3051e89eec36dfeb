import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { instances, type SUSPEND_CAUSES } from '../../db/schema/stock.ts'
import { NOT_SUSPENDED } from '../../inventory/views/suspended.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { startJob, stopJob } from './lifecycle-jobs.ts'

type Cause = (typeof SUSPEND_CAUSES)[number]

export type SuspensionDeps = Pick<Deps, 'clock' | 'jobs'> & {
  stop: ReturnType<typeof stopJob>
  start: ReturnType<typeof startJob>
}

export type Suspensions = ReturnType<typeof createSuspensions>

/**
 * A suspended server is stopped and kept; its client reads why, and can neither start it nor open
 * its console. Its term continues: it expires at its paid end and then has its grace period, like
 * any other. A renewal adds time, and the server stays off until it is resumed.
 */
export function createSuspensions({ clock, jobs, stop, start }: SuspensionDeps) {
  type Which = { instanceId: number; tokenId: number; name: string; ownerId: number | null }

  const enqueue = (tx: Db, job: typeof stop | typeof start, { tokenId, name, ownerId }: Which) =>
    jobs.enqueue(tx, job, { tokenId, name }, ownerId === null ? {} : { ownerId })

  return {
    /** Returns the job that stops it; undefined if it is suspended already. */
    async suspend(tx: Db, which: Which, { reason, cause }: { reason: string; cause: Cause }) {
      const [row] = await tx
        .update(instances)
        .set({ suspendedAt: clock.now(), suspendReason: reason, suspendCause: cause })
        .where(and(eq(instances.id, which.instanceId), isNull(instances.suspendedAt)))
        .returning({ id: instances.id })
      return row && (await enqueue(tx, stop, which))
    },

    /**
     * Returns the job that starts it again; undefined if it is not suspended, or for another cause.
     */
    async resume(tx: Db, which: Which, cause?: Cause) {
      const [row] = await tx
        .update(instances)
        .set(NOT_SUSPENDED)
        .where(
          and(
            eq(instances.id, which.instanceId),
            isNotNull(instances.suspendedAt),
            cause === undefined ? undefined : eq(instances.suspendCause, cause),
          ),
        )
        .returning({ id: instances.id })
      return row && (await enqueue(tx, start, which))
    },
  }
}
