import {
  bigserial,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  text,
} from 'drizzle-orm/pg-core'
import { JobState } from '#shared/api/overview/events.ts'
import { sessions, users } from './accounts.ts'
import { createdAt, moment, oneOf, word } from './columns.ts'
import { instances } from './stock.ts'

/** Why a job or a step of it failed: a code for programs, a sentence for people. */
export type JobFailure = {
  code: string
  /** For operators. */
  message: string
  retry: 'later' | 'never'
  /** For the client whose job it is, without details of the cluster. Older rows have none. */
  publicMessage?: string
}

/** What blocks the undo of a job, and since when. */
export type Stuck = { step: string; code: string; message: string; since: string }

const STEP_STATES = ['intended', 'done', 'failed', 'undone'] as const

/** A job. The queue delivers it; its state is here. */
export const jobs = pgTable(
  'jobs',
  {
    id: text().primaryKey(),
    kind: text().notNull(),
    title: text().notNull(),
    /** What it is about, such as `token:7`: jobs are searched by it. */
    subject: text(),
    input: jsonb().notNull(),
    state: word(JobState.options).notNull().default('queued'),
    step: text(),
    progress: real().notNull().default(0),
    failure: jsonb().$type<JobFailure>(),
    attempts: integer().notNull().default(0),
    stuck: jsonb().$type<Stuck>(),
    /** When an operator chose to undo what can be undone and to handle the rest by hand. */
    givenUpAt: moment(),
    /** The account that sees it besides the admins. */
    ownerId: integer().references(() => users.id, { onDelete: 'set null' }),
    createdAt: createdAt(),
    updatedAt: createdAt(),
    finishedAt: moment(),
  },
  (t) => [
    check('jobs_state', oneOf(t.state, JobState.options)),
    index('jobs_state_index').on(t.state),
    index('jobs_owner').on(t.ownerId),
    index('jobs_subject').on(t.subject),
  ],
)

/** A step's intent is written before it runs, its result after: a crash in between is visible. */
export const jobSteps = pgTable(
  'job_steps',
  {
    jobId: text()
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    step: text().notNull(),
    state: word(STEP_STATES).notNull(),
    attempt: integer().notNull().default(1),
    output: jsonb(),
    failure: jsonb().$type<JobFailure>(),
    startedAt: createdAt(),
    finishedAt: moment(),
  },
  (t) => [
    primaryKey({ columns: [t.jobId, t.step] }),
    check('job_steps_state', oneOf(t.state, STEP_STATES)),
  ],
)

/** Events for pages. Written in the transaction that caused them, kept for a day. */
export const events = pgTable(
  'events',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    at: createdAt(),
    /** `user:7`, `admins` or `everyone`. */
    audience: text().notNull(),
    body: jsonb().notNull(),
  },
  (t) => [index('events_audience').on(t.audience, t.id)],
)

/** Every worker that runs jobs updates its row every few seconds. */
export const heartbeats = pgTable('heartbeats', {
  worker: text().primaryKey(),
  at: moment().notNull(),
})

/** Locks across processes that last longer than a transaction. */
export const leases = pgTable('leases', {
  key: text().primaryKey(),
  holder: text().notNull(),
  until: moment().notNull(),
})

/**
 * A ticket opens one console once, within a minute, for the session and instance it was made for.
 */
export const consoleTickets = pgTable('console_tickets', {
  ticketHash: text().primaryKey(),
  sessionId: integer()
    .notNull()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  userId: integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' }),
  instanceId: integer()
    .notNull()
    .references(() => instances.id, { onDelete: 'cascade' }),
  expiresAt: moment().notNull(),
})
