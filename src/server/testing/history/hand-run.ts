import { and, asc, eq, inArray, notInArray } from 'drizzle-orm'
import { orders, payments } from '../../db/schema/sales.ts'
import { jobs as jobsTable } from '../../db/schema/work.ts'
import { RunAgainError, runJob } from '../../jobs/job-runner.ts'
import { createJobStore, newJob, UNFINISHED } from '../../jobs/job-store.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { createParts } from '../../parts.ts'
import type { Report } from '../../payments/testing/stand-in-server.ts'
import { jobsOf } from '../../schedule.ts'
import type { TestApp } from '../test-app.ts'

const TRIES = 100

export type HandRun = ReturnType<typeof handRun>

/** An application whose jobs are stored and run only on request, each to its intended end. */
export function handRun(t: TestApp) {
  const { db, deps } = t
  const store = createJobStore(db, deps.events)
  const enqueue: Jobs['enqueue'] = async (tx, definition, input, options) => {
    const row = newJob(definition, input, options)
    await tx.insert(jobsTable).values(row)
    return row.id
  }
  const retry: Jobs['retry'] = (id) =>
    db.transaction(async (tx) => (await store.reopen(tx, id)) !== undefined)
  // The routes of the application hold the same object.
  Object.assign(deps.jobs, { enqueue, retry })
  const parts = createParts(deps)
  const definitions = new Map(jobsOf(parts).map((job) => [job.kind, job]))
  const parked = new Set<string>()

  const run = (id: string) => runJob({ store, definitions, clock: deps.clock, log: deps.log }, id)

  const runToEnd = async (id: string) => {
    for (let left = TRIES; ; left -= 1) {
      try {
        return await run(id)
      } catch (error) {
        if (!(error instanceof RunAgainError) || left === 0) throw error
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }

  const waiting = () =>
    db
      .select({ id: jobsTable.id })
      .from(jobsTable)
      .where(
        and(
          inArray(jobsTable.state, UNFINISHED),
          parked.size === 0 ? undefined : notInArray(jobsTable.id, [...parked]),
        ),
      )
      .orderBy(asc(jobsTable.createdAt))

  const only = async <T>(rows: Promise<T[]>): Promise<T> => {
    const [row] = await rows
    if (row === undefined) throw new Error('no such row')
    return row
  }

  return {
    ...parts,
    t,
    run,
    poll: parts.poll.run,
    /** Runs every waiting job and its follow-ups, except the parked ones. */
    async work() {
      for (let jobs = await waiting(); jobs.length > 0; jobs = await waiting()) {
        for (const { id } of jobs) await runToEnd(id)
      }
    },
    /** Excludes this job from later runs. */
    park: (jobId: string | null) => parked.add(jobId ?? ''),
    /** Runs the sweeps and the jobs that follow from them. */
    async tick() {
      await parts.sweep()
      await parts.lapse()
      await this.work()
    },
    order: (id: number) => only(db.select().from(orders).where(eq(orders.id, id))),
    paymentOf: (orderId: number) =>
      only(db.select().from(payments).where(eq(payments.orderId, orderId))),
    /** Delivers every report of the provider to our webhook, and handles it. */
    async hear(provider: string, reports: readonly Report[]) {
      for (const { payload, headers } of reports) {
        const reply = await t.app.inject({
          method: 'POST',
          url: `/api/webhooks/${provider}`,
          headers: { 'content-type': 'application/json', ...headers },
          payload,
        })
        if (reply.statusCode !== 200) throw new Error(`${provider}: ${reply.body}`)
      }
      await this.work()
    },
  }
}
