import { sql } from 'drizzle-orm'
import {
  check,
  date,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core'
import { type ReceiptContent, ReceiptKind } from '#shared/api/shop/receipts.ts'
import { users } from './accounts.ts'
import { cents, createdAt, id, moment, oneOf, providerId, word } from './columns.ts'
import { orders, payments } from './sales.ts'
import { apiKeys } from './ssh-keys.ts'

export const LEDGER_ACCOUNTS = ['received', 'vouchers', 'held', 'earned', 'credit'] as const

/**
 * Double-entry bookkeeping: every posting sums to zero. The database itself refuses a posting that
 * does not, and any change of an entry (see the migration).
 */
export const ledger = pgTable(
  'ledger',
  {
    id: id(),
    posting: text().notNull(),
    /**
     * `received` is the money that providers hold for us, `vouchers` what operators took for used
     * vouchers; the other accounts say whose it is.
     */
    account: word(LEDGER_ACCOUNTS).notNull(),
    amountCents: cents().notNull(),
    provider: text(),
    userId: integer().references(() => users.id, { onDelete: 'set null' }),
    orderId: integer().references(() => orders.id),
    paymentId: integer().references(() => payments.id),
    reason: text().notNull(),
    /** On one entry of a posting that may exist only once, such as a renewal of one period. */
    key: text(),
    at: createdAt(),
  },
  (t) => [
    check('ledger_account', oneOf(t.account, LEDGER_ACCOUNTS)),
    unique('ledger_key').on(t.key),
    index('ledger_posting').on(t.posting),
    index('ledger_user').on(t.userId),
    index('ledger_order').on(t.orderId),
    index('ledger_payment').on(t.paymentId),
    index('ledger_at').on(t.at),
  ],
)

/**
 * One for each entry of the ledger that earns money or gives it back. The database refuses any
 * change of one (see the migration).
 */
export const receipts = pgTable(
  'receipts',
  {
    /** Without gaps. */
    number: integer().primaryKey(),
    kind: word(ReceiptKind.options).notNull(),
    ledgerId: integer()
      .notNull()
      .unique()
      .references(() => ledger.id),
    orderId: integer()
      .notNull()
      .references(() => orders.id),
    issuedAt: createdAt(),
    content: jsonb().$type<ReceiptContent>().notNull(),
  },
  (t) => [
    check('receipts_kind', oneOf(t.kind, ReceiptKind.options)),
    check('receipts_number', sql`${t.number} > 0`),
    index('receipts_order').on(t.orderId),
  ],
)

/** What each API key has spent, by order: an order that is paid in two calls counts once. */
export const keySpendings = pgTable(
  'key_spendings',
  {
    keyId: integer()
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    orderId: integer()
      .notNull()
      .references(() => orders.id, { onDelete: 'cascade' }),
    /** In UTC. */
    day: date({ mode: 'string' }).notNull(),
    amountCents: cents().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.keyId, t.orderId] }),
    index('key_spendings_day').on(t.keyId, t.day),
    index('key_spendings_order').on(t.orderId),
    check('key_spendings_amount', sql`${t.amountCents} > 0`),
  ],
)

/** Money that an operator has taken outside, until a client turns it into credit. */
export const vouchers = pgTable(
  'vouchers',
  {
    id: id(),
    /** Those made together have the same. */
    batch: text().notNull(),
    /** A keyed hash; the code itself is not stored. */
    codeHash: text().notNull().unique(),
    /** The last letters of the code, to find it on paper. */
    ending: text().notNull(),
    amountCents: cents().notNull(),
    note: text(),
    createdAt: createdAt(),
    expiresAt: moment(),
    /** By which account is not stored. */
    usedAt: moment(),
  },
  (t) => [check('vouchers_amount', sql`${t.amountCents} > 0`)],
)

/** A smallest unit of Monero is 10^-12; a sum of them does not fit into a float. */
const piconero = () => numeric({ precision: 20, scale: 0 }).notNull()

/** When a transfer was first seen, it was worth this much, in time or not. */
export type SeenTransfer = { rate: string; isOnTime: boolean }

/** What is to come to one subaddress of the operator's Monero wallet, at a rate that is held. */
export const moneroPayments = pgTable(
  'monero_payments',
  {
    id: id(),
    /** A hash of the wallet's own address: indices of another wallet are other addresses. */
    wallet: text().notNull(),
    /** Handed out once, also by a wallet that was restored and counts from the beginning. */
    addressIndex: integer().notNull(),
    address: providerId().notNull(),
    /** The same for every request of the same bill. */
    reference: text().notNull(),
    amountCents: cents().notNull(),
    /** Dollars for one Monero. */
    rate: text().notNull(),
    duePico: piconero(),
    /** Seen so far, final or not; and the part of it that has enough confirmations. */
    seenPico: piconero().default('0'),
    finalPico: piconero().default('0'),
    /** Of the transfer that has the fewest; null while there is none. */
    confirmations: integer(),
    confirmationsNeeded: integer().notNull(),
    /** By transaction. */
    transfers: jsonb().$type<Record<string, SeenTransfer>>().notNull().default({}),
    /** The wallet's height when the address was made: a wallet below it is behind. */
    height: integer().notNull(),
    createdAt: createdAt(),
    expiresAt: moment().notNull(),
  },
  (t) => [
    check('monero_payments_sums', sql`${t.finalPico} between 0 and ${t.seenPico}`),
    unique('monero_payments_index').on(t.wallet, t.addressIndex),
    unique('monero_payments_address').on(t.address),
    unique('monero_payments_reference').on(t.reference),
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
