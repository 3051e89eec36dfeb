import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { type DrizzleTransactionLike, fromDrizzle, PgBoss } from 'pg-boss'
import type { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Database, Db } from '../db/database.ts'
import { heartbeats, jobs as jobsTable } from '../db/schema/work.ts'
import type { EventBus } from '../events/event-bus.ts'
import { inTime } from '../lib/async/patience.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { JobDefinition } from './job-definition.ts'
import { RunAgainError, runJob } from './job-runner.ts'
import { announce, createJobStore, type JobOptions, newJob } from './job-store.ts'

const QUEUE = 'jobs'
/** Jobs that last for hours have their own workers: a client's new server never waits for them. */
const LONG_QUEUE = 'long-jobs'
const WORKERS = { [QUEUE]: 4, [LONG_QUEUE]: 8 }
const NO_JOB = '00000000-0000-0000-0000-000000000000'
const HEARTBEAT_MS = 10_000
/** A job untouched for this long has lost its message or its worker. */
const STALE_MS = MINUTE_MS
/** Of the ten seconds in which a process stops, after `http/end-connections.ts` had its share. */
const STOP_MS = 3000
/** A silent receiver, cluster or server may hold up recurring work for longer than that. */
const STOP_RECURRING_MS = 2000
/** How often the queue looks for workers that died with a job; its own default is a minute. */
const SUPERVISE_SECONDS = 5
/** A notification wakes the workers at once; a job that waits for a retry has none. */
const POLL_SECONDS = 2

export type Jobs = {
  /** Registers the kind. Must be called before `start`. */
  define<Schema extends z.ZodType>(definition: JobDefinition<Schema>): void
  /** Recurring work, run by one process at a time. Must be called before `start`. */
  every(name: string, cron: string, work: () => Promise<void>): void
  /** Work of every process at this interval, never twice at once. Must be called before `start`. */
  often(name: string, ms: number, work: () => Promise<void>): void
  /** Puts a job in the queue if and when the transaction commits. */
  enqueue<Schema extends z.ZodType>(
    tx: Db,
    definition: JobDefinition<Schema>,
    input: z.input<Schema>,
    options?: JobOptions,
  ): Promise<string>
  /** Runs a failed job again. Returns false if it has not failed. */
  retry(jobId: string): Promise<boolean>
  /** Undoes what can be undone and leaves the rest. Returns false if nothing blocks the undo. */
  giveUp(jobId: string): Promise<boolean>
  start(): Promise<void>
  stop(): Promise<void>
}

type JobsDeps = {
  database: Database
  events: EventBus
  clock: Clock
  log: Log
  /** False: this process enqueues jobs and leaves them to others. */
  isWorker?: boolean
}

export function createJobs({ database, events, clock, log, isWorker = true }: JobsDeps): Jobs {
  const { db } = database
  const boss = new PgBoss({
    db: database.queue,
    backend: database.kind === 'embedded' ? 'pglite' : 'postgres',
    useListenNotify: true,
    schema: 'pgboss',
    supervise: isWorker,
    schedule: isWorker,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  })
  boss.on('error', (error) => log.error({ err: error }, 'the job queue reports an error'))
  boss.on('warning', (warning) => log.warn({ warning }, 'the job queue warns'))
  const store = createJobStore(db, events)
  const definitions = new Map<string, JobDefinition>()
  const frequent: { name: string; ms: number; work: () => Promise<void> }[] = []
  const regular: { name: string; cron: string; work: () => Promise<void> }[] = []
  const worker = randomUUID()
  const timers: NodeJS.Timeout[] = []

  const beat = async () => {
    await db
      .insert(heartbeats)
      .values({ worker, at: sql`now()` })
      .onConflictDoUpdate({ target: heartbeats.worker, set: { at: sql`now()` } })
    await db.delete(heartbeats).where(sql`${heartbeats.at} < now() - interval '1 hour'`)
  }

  let isStopping = false
  let isStarted = false
  /**
   * On the embedded database an earlier send would wait forever, and block everything behind it.
   */
  const requireStarted = () => {
    if (isStarted) return
    throw new AppError('UNAVAILABLE', 'The service is still starting. Try again in a moment.', {
      retryAfter: 2,
    })
  }

  const queueOf = (kind: string) => (definitions.get(kind)?.isLong ? LONG_QUEUE : QUEUE)

  const deliver = ({ id: jobId, kind }: { id: string; kind: string }, tx?: Db) =>
    boss.send(
      queueOf(kind),
      { jobId },
      {
        singletonKey: jobId,
        ...(tx ? { db: fromDrizzle(tx as unknown as DrizzleTransactionLike, sql) } : {}),
      },
    )

  /** The queue forgets jobs (retention, retries used up); the jobs table does not. */
  const sweep = async () => {
    const stale = await store.stale(new Date(clock.now().getTime() - STALE_MS))
    for (const job of stale) await deliver(job)
  }

  const underWay = new Set<Promise<void>>()
  const often = (name: string, ms: number, work: () => Promise<void>) => {
    let current: Promise<void> | undefined
    const timer = setInterval(() => {
      if (current) return
      // Called inside a promise, so that a synchronous throw is caught as well.
      const run = Promise.resolve()
        .then(work)
        .catch((error) => log.error({ err: error }, `${name} failed`))
        .finally(() => {
          current = undefined
          underWay.delete(run)
        })
      current = run
      underWay.add(run)
    }, ms)
    timer.unref()
    timers.push(timer)
  }

  const createQueues = async () => {
    for (const queue of Object.keys(WORKERS)) {
      await boss.createQueue(queue, {
        policy: 'exclusive',
        notify: true,
        heartbeatSeconds: 10,
        retryLimit: 1000,
        retryDelay: 1,
        retryBackoff: true,
        retryDelayMax: 60,
        deleteAfterSeconds: 3600,
      })
      // On the embedded database a send inside a transaction would otherwise look the queue up on
      // the one connection that the transaction holds, and wait forever.
      await boss.findJobs(queue, { id: NO_JOB })
    }
    for (const { name } of regular) await boss.createQueue(name, { retryLimit: 0 })
  }

  const runMessage = async (jobId: string | undefined) => {
    if (jobId === undefined) return
    await database.waitForIdlePool()
    try {
      await runJob({ store, definitions, clock, log, isStopping: () => isStopping }, jobId)
    } catch (error) {
      if (!(error instanceof RunAgainError)) log.error({ err: error }, 'a job broke off')
      throw error
    }
  }

  return {
    define: (definition) => void definitions.set(definition.kind, definition as JobDefinition),
    every: (name, cron, work) => void regular.push({ name, cron, work }),
    often: (name, ms, work) => void frequent.push({ name, ms, work }),

    async enqueue(tx, definition, input, options) {
      requireStarted()
      const values = newJob(definition, input, options)
      const [row] = await tx.insert(jobsTable).values(values).returning()
      if (!row) throw new Error('the job was not stored')
      await announce(tx, events, row)
      await deliver(row, tx)
      return row.id
    },

    retry: (jobId) =>
      db.transaction(async (tx) => {
        requireStarted()
        const job = await store.reopen(tx, jobId)
        if (job) await deliver(job, tx)
        return job !== undefined
      }),

    giveUp: (jobId) =>
      db.transaction(async (tx) => {
        requireStarted()
        const job = await store.giveUp(tx, jobId)
        if (job) await deliver(job, tx)
        return job !== undefined
      }),

    async start() {
      await boss.start()
      await createQueues()
      isStarted = true
      isStopping = false
      if (!isWorker) return
      for (const [queue, localConcurrency] of Object.entries(WORKERS)) {
        await boss.work<{ jobId: string }>(
          queue,
          {
            batchSize: 1,
            localConcurrency,
            pollingIntervalSeconds: POLL_SECONDS,
            notifyPollingIntervalSeconds: POLL_SECONDS,
          },
          async ([message]) => await runMessage(message?.data.jobId),
        )
      }
      for (const { name, cron, work } of regular) {
        await boss.schedule(name, cron)
        await boss.work(name, { pollingIntervalSeconds: 10 }, work)
      }
      await beat()
      await sweep()
      often('the heartbeat', HEARTBEAT_MS, beat)
      often('looking for lost jobs', STALE_MS, sweep)
      for (const { name, ms, work } of frequent) often(name, ms, work)
    },

    async stop() {
      isStarted = false
      isStopping = true
      for (const timer of timers) clearInterval(timer)
      // What is left may be cut off anywhere, like all work here: the next process does it again.
      await inTime(Promise.all(underWay), STOP_RECURRING_MS)
      await boss.stop({ graceful: true, timeout: STOP_MS })
      await db.delete(heartbeats).where(sql`${heartbeats.worker} = ${worker}`)
    },
  }
}
