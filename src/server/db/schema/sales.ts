import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { OrderKind, OrderStatus } from '#shared/api/shop/orders.ts'
import { PaymentState } from '#shared/api/shop/payments.ts'
import { users } from './accounts.ts'
import { cents, createdAt, id, moment, oneOf, providerId, word } from './columns.ts'
import { nodes } from './infrastructure.ts'
import { instances, tokens } from './stock.ts'

const currency = () => varchar({ length: 3 }).notNull().default('usd')

export const packages = pgTable('packages', {
  id: text().primaryKey(),
  name: varchar({ length: 100 }).notNull(),
  description: text(),
  cpu: varchar({ length: 50 }).notNull(),
  ram: varchar({ length: 50 }).notNull(),
  storage: varchar({ length: 50 }).notNull(),
  bandwidth: varchar({ length: 50 }),
  traffic: varchar({ length: 50 }),
  priceCents: cents().notNull(),
  popular: boolean().notNull().default(false),
  active: boolean().notNull().default(true),
  osOptions: jsonb().$type<string[]>().notNull(),
  specialNote: text(),
  createdAt: createdAt(),
  updatedAt: createdAt(),
})

export const orders = pgTable(
  'orders',
  {
    id: id(),
    userId: integer().references(() => users.id, { onDelete: 'set null' }),
    /** What is bought: a token of the marketplace, a trial, more time, a package, or by an admin. */
    kind: word(OrderKind.options).notNull().default('purchase'),
    planId: text(),
    planName: varchar({ length: 100 }).notNull(),
    osType: varchar({ length: 100 }),
    /** What the server of a package is called; carries its size (T12). */
    serverName: varchar({ length: 100 }),
    amountCents: cents().notNull(),
    /** How much of the amount is paid from the client's credit. */
    creditCents: cents().notNull().default(0),
    currency: currency(),
    status: word(OrderStatus.options).notNull().default('pending'),
    /** Until when it waits for payment; then what was reserved is free again (O4). */
    payBy: moment(),
    /** When it ended unpaid after it had reserved something for a while; such ones make the next wait. */
    lapsedAt: moment(),
    /** A keyed hash of the network it was placed from, only as long as it is unpaid. */
    network: text(),
    /** Why it could not be delivered yet, in a sentence for the client. */
    failure: text(),
    /** The same for operators, where it names what is theirs: nodes, rights, templates. */
    failureDetail: text(),
    jobId: text(),
    providerSessionId: providerId(),
    providerSubscriptionId: providerId(),
    providerCustomerId: providerId(),
    tokenId: integer().references(() => tokens.id, { onDelete: 'set null' }),
    assignedNodeId: integer().references(() => nodes.id, { onDelete: 'set null' }),
    assignedVmId: integer(),
    trialEndsAt: moment(),
    nextBillingAt: moment(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    check('orders_status', oneOf(t.status, OrderStatus.options)),
    check('orders_amount', sql`${t.amountCents} >= 0`),
    check('orders_kind', oneOf(t.kind, OrderKind.options)),
    // One free trial per account, also in a race.
    uniqueIndex('orders_one_trial')
      .on(t.userId)
      .where(sql`${t.kind} = 'trial' and ${t.status} <> 'cancelled'`),
    // A second press of the button finds the first one's order.
    uniqueIndex('orders_one_open_renewal')
      .on(t.tokenId)
      .where(sql`${t.kind} = 'renewal' and ${t.status} = 'pending'`),
    check('orders_credit', sql`${t.creditCents} between 0 and ${t.amountCents}`),
    index('orders_user').on(t.userId),
    index('orders_open').on(t.payBy).where(sql`${t.status} = 'pending'`),
    index('orders_unpaid_network').on(t.network).where(sql`${t.status} = 'pending'`),
  ],
)

export const payments = pgTable(
  'payments',
  {
    id: id(),
    orderId: integer()
      .notNull()
      .references(() => orders.id),
    provider: text().notNull(),
    /** The provider's own id of the payment: a second report of it is the same payment. */
    providerPaymentId: providerId().notNull(),
    amountCents: cents().notNull(),
    /** What has come for good, and what went back. Both only grow. */
    receivedCents: cents().notNull().default(0),
    refundedCents: cents().notNull().default(0),
    /** What the provider has seen so far, final or not: parts of a payment in coins. */
    seenCents: cents().notNull().default(0),
    /** What the payer's bank took back in disputes that are lost; a later win gives it back. */
    lostCents: cents().notNull().default(0),
    currency: currency(),
    status: word(PaymentState.options).notNull(),
    /** Where the client pays. */
    url: text(),
    expiresAt: moment(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    check('payments_status', oneOf(t.status, PaymentState.options)),
    check('payments_refunded', sql`${t.refundedCents} between 0 and ${t.receivedCents}`),
    check(
      'payments_lost',
      sql`${t.lostCents} between 0 and ${t.receivedCents} - ${t.refundedCents}`,
    ),
    unique('payments_provider_id').on(t.provider, t.providerPaymentId),
    index('payments_order').on(t.orderId),
  ],
)

export const DISPUTE_STATES = ['open', 'lost', 'won'] as const

/** A payer's bank asks for a payment back. */
export const disputes = pgTable(
  'disputes',
  {
    /** The provider's own id. */
    id: providerId().primaryKey(),
    paymentId: integer()
      .notNull()
      .references(() => payments.id),
    amountCents: cents().notNull(),
    /** Only ever moves on in this order: what is read late changes nothing. */
    state: word(DISPUTE_STATES).notNull(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    check('disputes_state', oneOf(t.state, DISPUTE_STATES)),
    index('disputes_payment').on(t.paymentId),
  ],
)

export const subscriptions = pgTable('subscriptions', {
  id: id(),
  /** Null once the account is deleted; the row goes when the provider has ended it. */
  userId: integer().references(() => users.id, { onDelete: 'set null' }),
  instanceId: integer().references(() => instances.id, { onDelete: 'set null' }),
  tokenId: integer().references(() => tokens.id, { onDelete: 'set null' }),
  providerSubscriptionId: providerId().notNull().unique(),
  customerId: providerId(),
  priceId: providerId(),
  status: text().notNull(),
  currentPeriodStart: moment(),
  currentPeriodEnd: moment(),
  cancelAtPeriodEnd: boolean().notNull().default(false),
  createdAt: createdAt(),
  updatedAt: createdAt(),
})
