import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  text,
  unique,
  varchar,
} from 'drizzle-orm/pg-core'
import { JobState } from '#shared/api/overview/events.ts'
import { DELIVERY_STATES } from '#shared/api/people/own-webhooks.ts'
import type { WebhookEvent } from '#shared/rules/people/webhook-events.ts'
import { OFF_REASONS } from '#shared/rules/people/webhook-tries.ts'
import { sessions, users } from './accounts.ts'
import { createdAt, id, moment, oneOf, word } from './columns.ts'
import { apiKeys } from './ssh-keys.ts'
import { instances } from './stock.ts'

/** Why a job or a step of it failed: a code for programs, a sentence for people. */
export type JobFailure = {
  code: string
  /** For operators. */
  message: string
  retry: 'later' | 'never'
  /** For the client whose job it is, without details of the cluster. Older rows have none. */
  publicMessage?: string
  /** Only with a step. Older rows have none. */
  paused?: Paused
}

/** How long a step has paused between failed tries, up to its last failure. */
export type Paused = { ms: number; until: string }

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
    index('jobs_subject').on(t.subject, t.createdAt),
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
 * A ticket opens one console once, within a minute, for the session or API key and the instance it
 * was made for.
 */
export const consoleTickets = pgTable('console_tickets', {
  ticketHash: text().primaryKey(),
  sessionId: integer().references(() => sessions.id, { onDelete: 'cascade' }),
  apiKeyId: integer().references(() => apiKeys.id, { onDelete: 'cascade' }),
  userId: integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' }),
  instanceId: integer()
    .notNull()
    .references(() => instances.id, { onDelete: 'cascade' }),
  expiresAt: moment().notNull(),
})

/**
 * Counters shared by all processes, such as failed sign-ins. In the format of
 * rate-limiter-flexible.
 */
export const limits = pgTable('limits', {
  /** The name of the limit, and a keyed hash of the visitor: no address is stored. */
  key: varchar({ length: 255 }).primaryKey(),
  points: integer().notNull().default(0),
  /** Milliseconds since 1970. */
  expire: bigint({ mode: 'number' }),
})

/** Where an account is told what happens, by signed calls. */
export const webhooks = pgTable(
  'webhooks',
  {
    id: id(),
    uid: text().notNull().unique('webhooks_uid'),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The address and the secrets: an address often holds a secret of its own. */
    sealed: text().notNull(),
    events: jsonb().$type<WebhookEvent[]>().notNull(),
    isOn: boolean().notNull().default(true),
    offReason: word(OFF_REASONS),
    /** The last entry of the log before it was made or switched on; it is told later ones. */
    sinceId: bigint({ mode: 'number' }).notNull(),
    /** The first failure since the last success. */
    failingSince: moment(),
    /** After a failure its other deliveries wait until then. */
    pausedUntil: moment(),
    /** A process calls it; after this time the process is dead. */
    busyUntil: moment(),
    createdAt: createdAt(),
  },
  (t) => [
    index('webhooks_user').on(t.userId),
    check('webhooks_off_reason', oneOf(t.offReason, OFF_REASONS)),
  ],
)

/** One event for one webhook, and what came of it. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: id(),
    webhookId: integer()
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    /** Random, so that no id comes back for another event after a restore. */
    messageId: text().notNull().unique('webhook_deliveries_message'),
    /** What it tells: an entry of the log, the end of a term, a test. */
    eventKey: text().notNull(),
    type: text().notNull(),
    /** The bytes that are signed and sent, the same for every try. */
    body: text().notNull(),
    state: word(DELIVERY_STATES).notNull().default('waiting'),
    tries: integer().notNull().default(0),
    nextAt: moment().notNull(),
    lastAt: moment(),
    lastStatus: integer(),
    lastAnswer: text(),
    createdAt: createdAt(),
  },
  (t) => [
    unique('webhook_deliveries_once').on(t.webhookId, t.eventKey),
    check('webhook_deliveries_state', oneOf(t.state, DELIVERY_STATES)),
    index('webhook_deliveries_due').on(t.nextAt).where(sql`${t.state} = 'waiting'`),
  ],
)

/** How far the log was read for webhooks: one row. */
export const webhookProgress = pgTable('webhook_progress', {
  id: integer().primaryKey(),
  lastId: bigint({ mode: 'number' }).notNull(),
})
