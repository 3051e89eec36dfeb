import { sql } from 'drizzle-orm'
import { check, date, index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { bytes, id, moment } from './columns.ts'
import { instances } from './stock.ts'

const ofInstance = () =>
  integer()
    .notNull()
    .references(() => instances.id, { onDelete: 'cascade' })

const count = () => bytes().notNull().default(0)

/** What has passed through a server's cards in this period, and the counters it was taken from. */
export const serverTraffic = pgTable(
  'server_traffic',
  {
    instanceId: ofInstance().primaryKey(),
    /** The counters that the cluster reported last; each start of the VM sets them to 0. */
    seenAt: moment().notNull(),
    seenUptime: integer().notNull(),
    seenIn: count(),
    seenOut: count(),
    periodFrom: moment().notNull(),
    periodTo: moment().notNull(),
    inBytes: count(),
    outBytes: count(),
    /** The percentage of the quota that its client was told of in this period. */
    noticed: integer().notNull().default(0),
  },
  (t) => [
    check('server_traffic_positive', sql`${t.inBytes} >= 0 and ${t.outBytes} >= 0`),
    check('server_traffic_noticed', sql`${t.noticed} in (0, 80, 100)`),
  ],
)

/** The same per day of UTC, for the graph. */
export const trafficDays = pgTable(
  'traffic_days',
  { instanceId: ofInstance(), day: date().notNull(), inBytes: count(), outBytes: count() },
  (t) => [primaryKey({ columns: [t.instanceId, t.day] })],
)

/** A time of which the counters tell nothing; the cluster's own history does. */
export const trafficGaps = pgTable(
  'traffic_gaps',
  {
    id: id(),
    instanceId: ofInstance(),
    fromAt: moment().notNull(),
    toAt: moment().notNull(),
  },
  (t) => [index('traffic_gaps_instance').on(t.instanceId)],
)

/** What a server's card is limited to, as far as we have set it. */
export const serverRates = pgTable('server_rates', {
  instanceId: ofInstance().primaryKey(),
  /** Null: not limited by us. */
  rateMbit: integer(),
  /** Null: not known to be in force. */
  setAt: moment(),
  /** Tells one attempt to set it from another. */
  attempt: integer().notNull().default(0),
  failedAt: moment(),
})
