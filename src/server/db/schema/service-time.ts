import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, pgTable, text, varchar } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { cents, createdAt, moment } from './columns.ts'
import { tokens } from './stock.ts'

/**
 * How long this installation has been running: the sum of the time its processes witnessed, in one
 * row. Excludes downtime and a clock that was set forward.
 */
export const serviceTime = pgTable(
  'service_time',
  {
    id: integer().primaryKey().default(1),
    witnessedMs: bigint({ mode: 'number' }).notNull().default(0),
    seenAt: moment().notNull(),
    /**
     * Set by a process that finds on its start that far more time has passed than was witnessed.
     */
    gapMs: bigint({ mode: 'number' }),
    /** How often an operator has confirmed a clock that jumped. */
    confirmations: integer().notNull().default(0),
  },
  (t) => [check('service_time_one', sql`${t.id} = 1`)],
)

/**
 * The end of a server, as a sweep recorded it. Only a server recorded here for the whole grace
 * period is removed.
 */
export const serverEnds = pgTable('server_ends', {
  tokenId: integer()
    .primaryKey()
    .references(() => tokens.id, { onDelete: 'cascade' }),
  /** Identifies the end: a renewal leads to another one. */
  endsAt: moment().notNull(),
  /** Identifies this end in the jobs that follow from it. */
  since: text().notNull(),
  recordedAt: moment().notNull(),
  /** The service time at which it was recorded. */
  recordedMs: bigint({ mode: 'number' }).notNull(),
  /** The service time at which its removal was ordered. */
  orderedMs: bigint({ mode: 'number' }),
  /** An operator has confirmed the removal. */
  approvedAt: moment(),
  /** How often its last backup was begun, and when. */
  backupTries: integer().notNull().default(0),
  backupTriedAt: moment(),
})

/**
 * The package that a server gets with its next term. Its price is the token's already, so every
 * renewal takes it.
 */
export const nextPackages = pgTable(
  'next_packages',
  {
    tokenId: integer()
      .primaryKey()
      .references(() => tokens.id, { onDelete: 'cascade' }),
    planId: text().notNull(),
    planName: varchar({ length: 100 }).notNull(),
    /** The name of the server with it; contains its size (T12). */
    serverName: varchar({ length: 100 }).notNull(),
    /** The price of the present package, for a client who keeps it. */
    formerCents: cents().notNull(),
    createdAt: createdAt(),
    /** Null until the next term is paid; then the moment at which that begins. */
    dueAt: moment(),
    /** When the change was last begun. */
    triedAt: moment(),
  },
  (t) => [index('next_packages_due').on(t.dueAt)],
)

/** A link that renews one server without signing in; it ends with its server and its owner. */
export const paymentLinks = pgTable(
  'payment_links',
  {
    tokenId: integer()
      .primaryKey()
      .references(() => tokens.id, { onDelete: 'cascade' }),
    /** Who made it: it is no longer valid once the server is another account's. */
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The code itself is not stored. */
    codeHash: text().notNull().unique(),
    createdAt: createdAt(),
  },
  (t) => [index('payment_links_user').on(t.userId)],
)
