import { bigint, integer, pgTable, varchar } from 'drizzle-orm/pg-core'

/** Counts that must hold over all processes, such as failed sign-ins. As rate-limiter-flexible wants it. */
export const limits = pgTable('limits', {
  /** What is counted, and a keyed hash of whose: no address is stored. */
  key: varchar({ length: 255 }).primaryKey(),
  points: integer().notNull().default(0),
  /** Milliseconds since 1970. */
  expire: bigint({ mode: 'number' }),
})
