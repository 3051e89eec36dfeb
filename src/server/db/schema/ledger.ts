import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { cents, createdAt, id, moment, oneOf, providerId, word } from './columns.ts'
import { orders, payments } from './sales.ts'

export const LEDGER_ACCOUNTS = ['received', 'held', 'earned', 'credit'] as const

/**
 * Double-entry bookkeeping: every posting sums to zero. The database itself refuses a posting that
 * does not, and any change of an entry (see the migration).
 */
export const ledger = pgTable(
  'ledger',
  {
    id: id(),
    posting: text().notNull(),
    /** `received` is the money that providers hold for us; the other accounts say whose it is. */
    account: word(LEDGER_ACCOUNTS).notNull(),
    amountCents: cents().notNull(),
    provider: text(),
    userId: integer().references(() => users.id, { onDelete: 'set null' }),
    orderId: integer().references(() => orders.id),
    paymentId: integer().references(() => payments.id),
    reason: text().notNull(),
    at: createdAt(),
  },
  (t) => [
    check('ledger_account', oneOf(t.account, LEDGER_ACCOUNTS)),
    index('ledger_posting').on(t.posting),
    index('ledger_user').on(t.userId),
    index('ledger_order').on(t.orderId),
  ],
)

/** Provider reports, stored once each: a second delivery finds its row. */
export const webhookEvents = pgTable(
  'webhook_events',
  {
    id: id(),
    provider: text().notNull(),
    eventId: providerId().notNull(),
    type: text().notNull(),
    /** The payment or subscription it is about. */
    subject: providerId(),
    receivedAt: createdAt(),
    handledAt: moment(),
    /** A short summary of its effect; null until it was handled. */
    outcome: text(),
  },
  (t) => [
    unique('webhook_events_once').on(t.provider, t.eventId),
    index('webhook_events_open').on(t.receivedAt).where(sql`${t.handledAt} is null`),
  ],
)
