import { bigint, integer, pgTable, varchar } from 'drizzle-orm/pg-core'

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
