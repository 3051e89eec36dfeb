import { asc, inArray } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { users } from '../../db/schema/accounts.ts'
import { jobs as jobsTable } from '../../db/schema/work.ts'
import type { Step } from '../../jobs/job-definition.ts'
import { RunAgainError, runJob } from '../../jobs/job-runner.ts'
import { createJobStore, newJob, UNFINISHED } from '../../jobs/job-store.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { createParts } from '../../parts.ts'
import { jobsOf } from '../../schedule.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { TestApp } from '../../testing/test-app.ts'
import { createSilenceSweep } from '../provision/silence.ts'

/** Changes the steps of a job before it runs: breaks, doubles or omits them. */
export type Bend = (steps: Step<never>[], kind: string) => Step<never>[]

/** Runs every step and every undo twice, as after a crash right behind it. */
export const twice: Bend = (steps) =>
  steps.map((step) => ({
    ...step,
    run: async (context) => {
      await step.run(context)
      return step.run(context)
    },
    async undo(context) {
      await step.undo?.(context)
      await step.undo?.(context)
    },
  }))

/** What a test expected inside a step and did not find: the job takes it for a failure of its own. */
const disappointed: Error[] = []

/** Something happens right before this step runs. */
export const asBegins =
  (name: string, happens: () => Promise<unknown>): Bend =>
  (steps) =>
    steps.map((step) =>
      step.name === name
        ? {
            ...step,
            run: async (context) => {
              try {
                await happens()
              } catch (error) {
                const isOfTest = error instanceof Error && error.name === 'AssertionError'
                if (isOfTest) disappointed.push(error)
                throw error
              }
              return await step.run(context)
            },
          }
        : step,
    )

/** Fails for good right after this step's work; a commit fails before it. */
export const broken =
  (name: string): Bend =>
  (steps) =>
    steps.map((step) =>
      step.name === name
        ? {
            ...step,
            run: async (context) => {
              if (name !== 'commit') await step.run(context)
              throw new AppError('CLUSTER_REFUSED', 'The cluster refuses it.')
            },
          }
        : step,
    )

export const actorOf = (user: typeof users.$inferSelect): Actor => ({
  sessionId: 0,
  user,
  admin: undefined,
  secondFactor: undefined,
})

/** Runs jobs without the queue: only what the test runs, so that every moment can be inspected. */
export function byHand(t: Pick<TestApp, 'deps' | 'db'>) {
  const store = createJobStore(t.db, t.deps.events)
  const enqueue: Jobs['enqueue'] = async (tx, definition, input, options) => {
    const row = newJob(definition, input, options)
    // The time limit of a job counts from the test's clock.
    await tx.insert(jobsTable).values({ ...row, createdAt: t.deps.clock.now() })
    return row.id
  }
  const retry = (id: string) =>
    t.db.transaction(async (tx) => (await store.reopen(tx, id)) !== undefined)
  const jobs = { ...t.deps.jobs, enqueue, retry }
  const parts = createParts({ ...t.deps, jobs })

  const run = async (id: string, bend: Bend = (steps) => steps) => {
    const bent = jobsOf(parts).map((job) => {
      const steps = bend(job.steps as unknown as Step<never>[], job.kind)
      return [job.kind, { ...job, steps: steps as unknown as Step<unknown>[] }] as const
    })
    const { clock, log } = t.deps
    const runner = { store, definitions: new Map(bent), clock, log }
    const failure = await runJob(runner, id).catch((error: unknown) => error)
    const found = disappointed.shift() ?? failure
    if (found !== undefined) throw found
  }

  /** Retries like the queue, as long as the cause is temporary. */
  const runToEnd = async (
    id: string,
    { tries = 100, bend }: { tries?: number; bend?: Bend } = {},
  ) => {
    for (let left = tries; ; left -= 1) {
      try {
        return await run(id, bend)
      } catch (error) {
        if (!(error instanceof RunAgainError) || left === 0) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }

  const waiting = () =>
    t.db
      .select()
      .from(jobsTable)
      .where(inArray(jobsTable.state, UNFINISHED))
      .orderBy(asc(jobsTable.createdAt))

  /** The sandbox pays at once, so every sale here has its job. */
  const withJob = async <S extends { jobId: string | undefined }>(selling: Promise<S>) => {
    const sale = await selling
    if (sale.jobId === undefined) throw new Error('the sale was not paid at once')
    return { ...sale, jobId: sale.jobId }
  }
  const { sales } = parts

  return {
    ...parts,
    sales: {
      claim: (...given: Parameters<typeof sales.claim>) => withJob(sales.claim(...given)),
      provisionForClient: (...given: Parameters<typeof sales.provisionForClient>) =>
        withJob(sales.provisionForClient(...given)),
    },
    /** The routes of an application without workers enqueue their jobs here, too. */
    takeOver: () => Object.assign(t.deps.jobs, { enqueue }),
    silence: createSilenceSweep(parts),
    run,
    retry,
    runToEnd,
    waiting,
    /** Runs each job once; the queue would retry those with a temporary failure. */
    async runAll(bend?: Bend) {
      for (const { id } of await waiting()) {
        await run(id, bend).catch((error: unknown) => {
          if (!(error instanceof RunAgainError)) throw error
        })
      }
    },
  }
}
