import { check, index, integer, pgTable, text, unique, varchar } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { createdAt, moment, oneOf, word } from './columns.ts'

export const KEY_STATES = ['running', 'done', 'answered'] as const

/** One call that pays or creates: its request, its effect and its answer. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    id: text().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The caller's `Idempotency-Key`. */
    key: varchar({ length: 255 }).notNull(),
    state: word(KEY_STATES).notNull(),
    /** The request that works on it; a later one takes over when the lease has expired. */
    attempt: text().notNull(),
    leasedUntil: moment().notNull(),
    /**
     * Fingerprint of the request, result of its transaction, answer. Sealed: answers contain
     * passwords.
     */
    sealed: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    unique('idempotency_keys_once').on(t.userId, t.key),
    check('idempotency_keys_state', oneOf(t.state, KEY_STATES)),
    index('idempotency_keys_age').on(t.createdAt),
  ],
)
