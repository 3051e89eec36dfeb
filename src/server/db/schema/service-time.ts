import { sql } from 'drizzle-orm'
import { bigint, check, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'
import { tokens } from './stock.ts'

/**
 * How long this installation has been at work: the sum of what its processes saw pass, one row.
 * Time in which it was down, and a clock that was set forward, are not in it.
 */
export const serviceTime = pgTable(
  'service_time',
  {
    id: integer().primaryKey().default(1),
    witnessedMs: bigint({ mode: 'number' }).notNull().default(0),
    seenAt: moment().notNull(),
    /** Set where a process found on its start that far more time had passed than anyone saw. */
    gapMs: bigint({ mode: 'number' }),
    /** How often an operator said that a clock which jumped is right. */
    confirmations: integer().notNull().default(0),
  },
  (t) => [check('service_time_one', sql`${t.id} = 1`)],
)

/** The end of a server, as a sweep recorded it. Only what is here for the whole grace is removed. */
export const serverEnds = pgTable('server_ends', {
  tokenId: integer()
    .primaryKey()
    .references(() => tokens.id, { onDelete: 'cascade' }),
  /** Which end it is: a renewal makes it another one. */
  endsAt: moment().notNull(),
  /** Names this end in the jobs that follow from it. */
  since: text().notNull(),
  recordedAt: moment().notNull(),
  /** The service time at which it was recorded. */
  recordedMs: bigint({ mode: 'number' }).notNull(),
  /** The service time at which its removal was ordered. */
  orderedMs: bigint({ mode: 'number' }),
  /** An operator has looked at it and lets it go. */
  approvedAt: moment(),
})
