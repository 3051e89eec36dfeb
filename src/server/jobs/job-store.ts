import { randomUUID } from 'node:crypto'
import { and, eq, inArray, isNotNull, lt, ne, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { JobState, ServerEvent } from '#shared/api/overview/events.ts'
import type { Db } from '../db/database.ts'
import { type JobFailure, jobSteps, jobs, type Paused } from '../db/schema/work.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { JobDefinition } from './job-definition.ts'
import { publicTextOf } from './public-failure.ts'

export type JobRow = typeof jobs.$inferSelect
export type StepRow = typeof jobSteps.$inferSelect
export const UNFINISHED: JobState[] = ['queued', 'running', 'waiting', 'undoing']

/** Another worker has taken this job over; the worker that catches this must stop at once. */
export class LeaseLostError extends Error {
  constructor(jobId: string) {
    super(`job ${jobId} was taken over by another worker`)
    this.name = 'LeaseLostError'
  }
}

/** The right to work on a job: its number of attempts. A later attempt voids it. */
export type Lease = { jobId: string; attempt: number }

/** The owner sees the job besides the admins. */
export type JobOptions = { ownerId?: number }

export type JobStore = ReturnType<typeof createJobStore>

/** The row of a job that has not begun. */
export function newJob<Schema extends z.ZodType>(
  { kind, input: schema, title, subject }: JobDefinition<Schema>,
  given: z.input<Schema>,
  { ownerId }: JobOptions = {},
) {
  const input = schema.parse(given)
  return {
    id: randomUUID(),
    kind,
    title: title(input),
    subject: subject?.(input) ?? null,
    input,
    ownerId: ownerId ?? null,
  }
}

/** The runner's writes, each together with the event that notifies pages. */
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

    /** Takes the job over from any other worker; undefined if there is nothing left to do. */
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

    /** Written before a step runs: from here on it may have happened. */
    intend: (lease: Lease, step: string, progress: number) =>
      change(lease, { step, progress, state: 'running', failure: null }, (tx) =>
        tx
          .insert(jobSteps)
          .values({ jobId: lease.jobId, step, state: 'intended' })
          .onConflictDoUpdate({
            target: [jobSteps.jobId, jobSteps.step],
            // Its failure stays: also a process that dies now must not make its patience endless.
            set: {
              state: 'intended',
              attempt: sql`${jobSteps.attempt} + 1`,
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
          failure: null,
          finishedAt: new Date(),
        }),
      ),

    stepFailed: (
      lease: Lease,
      step: string,
      failure: JobFailure,
      { next, paused }: { next: 'waiting' | 'undoing'; paused: Paused },
    ) =>
      change(
        lease,
        { failure, state: next },
        setStep(lease, step, {
          state: 'failed',
          failure: { ...failure, paused },
          finishedAt: new Date(),
        }),
      ),

    /** Records what blocks the undo; `since` stays while it is the same step. */
    async undoFailed(lease: Lease, step: string, { code, message }: JobFailure) {
      const [row] = await db.select().from(jobs).where(eq(jobs.id, lease.jobId))
      const before = row?.stuck?.step === step ? row.stuck.since : undefined
      const stuck = { step, code, message, since: before ?? new Date().toISOString() }
      return await change(lease, { stuck })
    },

    /** Not undone, and left to the operator who gave the job up. */
    stepLeft: (lease: Lease, step: string, failure: JobFailure) =>
      change(lease, {}, setStep(lease, step, { failure, finishedAt: new Date() })),

    stepUndone: (lease: Lease, step: string) =>
      change(
        lease,
        { stuck: null },
        setStep(lease, step, { state: 'undone', finishedAt: new Date() }),
      ),

    progress: (lease: Lease, progress: number) => change(lease, { progress }),

    finish: (lease: Lease, state: 'done' | 'failed') =>
      change(lease, {
        state,
        finishedAt: new Date(),
        ...(state === 'done' ? { progress: 1, step: null, failure: null } : {}),
      }),

    /** Jobs without a recent update: their message may be lost. */
    stale: (before: Date) =>
      db
        .select({ id: jobs.id, kind: jobs.kind })
        .from(jobs)
        .where(and(inArray(jobs.state, UNFINISHED), lt(jobs.updatedAt, before))),

    /**
     * From now on steps that cannot be undone are left. Returns the job, or undefined if it is not
     * being undone.
     */
    async giveUp(tx: Db, jobId: string): Promise<JobRow | undefined> {
      const [row] = await tx
        .update(jobs)
        .set({ givenUpAt: sql`now()`, updatedAt: sql`now()` })
        .where(and(eq(jobs.id, jobId), eq(jobs.state, 'undoing'), isNotNull(jobs.stuck)))
        .returning()
      if (row) await announce(tx, events, row)
      return row
    },

    /** Makes a failed job ready to run again from its first undone step; undefined if it has not failed. */
    async reopen(tx: Db, jobId: string): Promise<JobRow | undefined> {
      const [row] = await tx
        .update(jobs)
        .set({
          state: 'queued',
          failure: null,
          finishedAt: null,
          stuck: null,
          givenUpAt: null,
          progress: 0,
          createdAt: sql`now()`,
          updatedAt: sql`now()`,
        })
        .where(and(eq(jobs.id, jobId), eq(jobs.state, 'failed')))
        .returning()
      if (!row) return undefined
      await tx.delete(jobSteps).where(and(eq(jobSteps.jobId, jobId), ne(jobSteps.state, 'done')))
      await announce(tx, events, row)
      return row
    },
  }
}

export async function announce(tx: Db, events: EventBus, row: JobRow): Promise<void> {
  const { id, kind, title, state, step, progress, ownerId } = row
  const body = (error: string | null): ServerEvent => ({
    type: 'job',
    job: { id, kind, title, state, step, progress, error },
  })
  // The same event in two wordings: only operators read the cause.
  await events.emitAll(tx, [
    { audience: 'admins', body: body(errorFor('admin', row)) },
    ...(ownerId === null
      ? []
      : [{ audience: `user:${ownerId}` as const, body: body(errorFor('client', row)) }]),
  ])
}

/** Why it is not done, worded for the reader's role. */
export function errorFor(
  reader: 'admin' | 'client',
  { failure, stuck }: Pick<JobRow, 'failure' | 'stuck'>,
): string | null {
  if (reader === 'client') return failure ? publicTextOf(failure) : null
  if (stuck) return `${failure?.message ?? ''} Cannot be undone: ${stuck.message}`.trim()
  return failure?.message ?? null
}
