import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { webhookEvents } from '../../db/schema/ledger.ts'
import { jobs as jobsTable } from '../../db/schema/work.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { runJob } from '../../jobs/job-runner.ts'
import { createJobStore, newJob, UNFINISHED } from '../../jobs/job-store.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { createParts } from '../../parts.ts'
import type { TestApp } from '../../testing/test-app.ts'

/** A process whose jobs are stored but not delivered: nothing runs until the test runs it. */
export function byHand({ t: { db, deps } }: { t: Pick<TestApp, 'db' | 'deps'> }) {
  const enqueue: Jobs['enqueue'] = async (tx, definition, input) => {
    const row = newJob(definition, input)
    await tx.insert(jobsTable).values({ ...row, createdAt: sql`clock_timestamp()` })
    return row.id
  }
  // The routes of the application hold the same object.
  Object.assign(deps.jobs, { enqueue })
  const { webhooks, poll, lapse } = createParts(deps)
  const definitions = new Map([[webhooks.job.kind, webhooks.job as unknown as JobDefinition]])
  const store = createJobStore(db, deps.events)

  const waiting = () =>
    db
      .select({ id: jobsTable.id, input: jobsTable.input })
      .from(jobsTable)
      .where(and(eq(jobsTable.kind, webhooks.job.kind), inArray(jobsTable.state, UNFINISHED)))
      .orderBy(asc(jobsTable.createdAt))

  const run = (id: string) => runJob({ store, definitions, clock: deps.clock, log: deps.log }, id)

  return {
    poll: poll.run,
    lapse,
    /** The worker handles every waiting report. */
    async work() {
      for (const { id } of await waiting()) await run(id)
    },
    /** The worker handles the first report and is killed before it records that. */
    async workAndDie() {
      const [first] = await waiting()
      if (!first) return
      const { reportId } = first.input as { reportId: number }
      await run(first.id)
      await db.update(jobsTable).set({ state: 'running' }).where(eq(jobsTable.id, first.id))
      await db.execute(sql`delete from job_steps where job_id = ${first.id}`)
      await db
        .update(webhookEvents)
        .set({ handledAt: null, outcome: null })
        .where(eq(webhookEvents.id, reportId))
    },
    jobsOf: (kind: string, orderId: number) =>
      db
        .select({ id: jobsTable.id })
        .from(jobsTable)
        .where(
          and(eq(jobsTable.kind, kind), sql`${jobsTable.input} ->> 'orderId' = ${String(orderId)}`),
        ),
    reports: () => db.$count(webhookEvents),
  }
}
