import { and, eq, inArray, lt, ne, sql } from 'drizzle-orm'
import type { ServerEvent } from '#shared/api/events.ts'
import type { Db } from '../db/database.ts'
import { type JobFailure, jobSteps, jobs } from '../db/schema/work.ts'
import { concerned, type EventBus } from '../events/event-bus.ts'

export type JobRow = typeof jobs.$inferSelect
export type StepRow = typeof jobSteps.$inferSelect
type JobState = 'queued' | 'running' | 'waiting' | 'undoing' | 'done' | 'failed'
export const UNFINISHED: JobState[] = ['queued', 'running', 'waiting', 'undoing']

/** Another worker has taken this job over; the one who sees this must stop at once. */
export class LeaseLostError extends Error {
  constructor(jobId: string) {
    super(`job ${jobId} was taken over by another worker`)
    this.name = 'LeaseLostError'
  }
}

/** The right to work on a job: its number of attempts. A later attempt voids it. */
export type Lease = { jobId: string; attempt: number }

export type JobStore = ReturnType<typeof createJobStore>

/** What the runner writes, each change together with the event that tells pages of it. */
export function createJobStore(db: Db, events: EventBus) {
  const change = (lease: Lease, values: Partial<JobRow>, step?: (tx: Db) => Promise<unknown>) =>
    db.transaction(async (tx) => {
      const [row] = await tx
        .update(jobs)
        .set({ ...values, updatedAt: sql`now()` })
        .where(and(eq(jobs.id, lease.jobId), eq(jobs.attempts, lease.attempt)))
        .returning()
      if (!row) throw new LeaseLostError(lease.jobId)
      await step?.(tx)
      await announce(tx, events, row)
      return row
    })

  const setStep = (
    lease: Lease,
    step: string,
    values: Partial<Pick<StepRow, 'state' | 'output' | 'failure' | 'finishedAt'>>,
  ) => {
    return (tx: Db) =>
      tx
        .update(jobSteps)
        .set(values)
        .where(and(eq(jobSteps.jobId, lease.jobId), eq(jobSteps.step, step)))
  }

  return {
    async kindOf(jobId: string): Promise<string | undefined> {
      const [row] = await db.select({ kind: jobs.kind }).from(jobs).where(eq(jobs.id, jobId))
      return row?.kind
    },

    /** Takes the job over from whoever had it; undefined where there is nothing left to do. */
    async take(jobId: string): Promise<JobRow | undefined> {
      const [row] = await db
        .update(jobs)
        .set({
          attempts: sql`${jobs.attempts} + 1`,
          state: sql`case when ${jobs.state} = 'undoing' then 'undoing' else 'running' end`,
          updatedAt: sql`now()`,
        })
        .where(and(eq(jobs.id, jobId), inArray(jobs.state, UNFINISHED)))
        .returning()
      return row
    },

    steps: (jobId: string): Promise<StepRow[]> =>
      db.select().from(jobSteps).where(eq(jobSteps.jobId, jobId)),

    /** Before a step runs: from here on it may have happened. */
    intend: (lease: Lease, step: string, progress: number) =>
      change(lease, { step, progress, state: 'running', failure: null }, (tx) =>
        tx
          .insert(jobSteps)
          .values({ jobId: lease.jobId, step, state: 'intended' })
          .onConflictDoUpdate({
            target: [jobSteps.jobId, jobSteps.step],
            set: {
              state: 'intended',
              attempt: sql`${jobSteps.attempt} + 1`,
              failure: null,
              startedAt: sql`now()`,
            },
          }),
      ),

    stepDone: (lease: Lease, step: string, output: unknown, progress: number) =>
      change(
        lease,
        { progress },
        setStep(lease, step, {
          state: 'done',
          output: output ?? null,
          finishedAt: new Date(),
        }),
      ),

    stepFailed: (lease: Lease, step: string, failure: JobFailure, next: 'waiting' | 'undoing') =>
      change(
        lease,
        { failure, state: next },
        setStep(lease, step, { state: 'failed', failure, finishedAt: new Date() }),
      ),

    stepUndone: (lease: Lease, step: string) =>
      change(lease, {}, setStep(lease, step, { state: 'undone', finishedAt: new Date() })),

    progress: (lease: Lease, progress: number) => change(lease, { progress }),

    finish: (lease: Lease, state: 'done' | 'failed') =>
      change(lease, {
        state,
        finishedAt: new Date(),
        ...(state === 'done' ? { progress: 1, step: null, failure: null } : {}),
      }),

    /** Jobs nobody has touched for a while: their message may be lost. */
    stale: (before: Date) =>
      db
        .select({ id: jobs.id })
        .from(jobs)
        .where(and(inArray(jobs.state, UNFINISHED), lt(jobs.updatedAt, before))),

    /** Makes a failed job ready to run again from its first undone step. */
    async reopen(tx: Db, jobId: string): Promise<boolean> {
      const [row] = await tx
        .update(jobs)
        .set({
          state: 'queued',
          failure: null,
          finishedAt: null,
          progress: 0,
          createdAt: sql`now()`,
          updatedAt: sql`now()`,
        })
        .where(and(eq(jobs.id, jobId), eq(jobs.state, 'failed')))
        .returning()
      if (!row) return false
      await tx.delete(jobSteps).where(and(eq(jobSteps.jobId, jobId), ne(jobSteps.state, 'done')))
      await announce(tx, events, row)
      return true
    },
  }
}

export async function announce(tx: Db, events: EventBus, row: JobRow): Promise<void> {
  const body: ServerEvent = {
    type: 'job',
    job: {
      id: row.id,
      kind: row.kind,
      title: row.title,
      state: row.state as JobState,
      step: row.step,
      progress: row.progress,
      error: row.failure?.message ?? null,
    },
  }
  await events.emit(tx, concerned(row.ownerId), body)
}
