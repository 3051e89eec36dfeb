import { sql } from 'drizzle-orm'
import {
  bigint,
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
import { PaymentState } from '#shared/api/money/payments.ts'
import { OrderKind, OrderStatus } from '#shared/api/shop/orders.ts'
import { BACKUP_LIMIT, MOST_BACKUPS } from '#shared/rules/instance/backups.ts'
import { PROOFS } from '#shared/rules/instance/proof-of-life.ts'
import {
  MOST_SNAPSHOT_DAYS,
  MOST_SNAPSHOTS,
  SNAPSHOT_DAYS,
  SNAPSHOT_QUOTA,
} from '#shared/rules/instance/snapshots.ts'
import { COUPON_USES } from '#shared/rules/money/coupon.ts'
import { MONTHS, type Months } from '#shared/rules/money/months.ts'
import { SLOW_MBIT, TRAFFIC_COUNTS } from '#shared/rules/network/traffic.ts'
import { users } from './accounts.ts'
import { cents, createdAt, id, moment, oneOf, providerId, word } from './columns.ts'
import { nodes } from './infrastructure.ts'
import { coupons, instances, tokens } from './stock.ts'

/** The client's choices for a new server. With keys it gets no password. */
export type ServerSetup = {
  label?: string | undefined
  hostname?: string | undefined
  /** The keys themselves: one that is deleted from the ring before delivery was still chosen. */
  sshKeys?: readonly string[] | undefined
  /** For its first start; sealed, and erased when the order ends. */
  userData?: { id: string; sealed: string } | undefined
}

const currency = () => varchar({ length: 3 }).notNull().default('usd')

export const packages = pgTable(
  'packages',
  {
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
    /** How many snapshots each of its servers may have; 0 for none. */
    snapshotQuota: integer().notNull().default(SNAPSHOT_QUOTA),
    /** How long they are kept at most. */
    snapshotDays: integer().notNull().default(SNAPSHOT_DAYS),
    /** How many backups each of its servers may have; 0 for none. */
    backupLimit: integer().notNull().default(BACKUP_LIMIT),
    /** Whether one more is made when the time of a server ends, and kept as long as the server. */
    lastBackup: boolean().notNull().default(false),
    /** Its servers have no IPv4 address. */
    ipv6Only: boolean().notNull().default(false),
    /** The limit of a server's card; null is unlimited. */
    rateMbit: integer(),
    /** The traffic of one period; null is unlimited, 0 is none. */
    trafficGb: integer(),
    trafficCounts: word(TRAFFIC_COUNTS).notNull().default('both'),
    /** The limit once the traffic is used up. */
    slowMbit: integer().notNull().default(SLOW_MBIT),
    /** Whether port 25 of its new servers is open. */
    mailOpen: boolean().notNull().default(false),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    check('packages_traffic_counts', oneOf(t.trafficCounts, TRAFFIC_COUNTS)),
    check(
      'packages_traffic',
      sql`${t.rateMbit} >= 1 and ${t.trafficGb} >= 0 and ${t.slowMbit} >= 1`,
    ),
    check(
      'packages_snapshot_quota',
      sql`${t.snapshotQuota} between 0 and ${sql.raw(String(MOST_SNAPSHOTS))}`,
    ),
    check(
      'packages_backup_limit',
      sql`${t.backupLimit} between 0 and ${sql.raw(String(MOST_BACKUPS))}`,
    ),
    check(
      'packages_snapshot_days',
      sql`${t.snapshotDays} between 1 and ${sql.raw(String(MOST_SNAPSHOT_DAYS))}`,
    ),
  ],
)

export const orders = pgTable(
  'orders',
  {
    id: id(),
    userId: integer().references(() => users.id, { onDelete: 'set null' }),
    /**
     * A purchase of a token, a trial, a renewal, a package, an assignment by an admin, credit, or
     * another package for a server.
     */
    kind: word(OrderKind.options).notNull().default('purchase'),
    planId: text(),
    planName: varchar({ length: 100 }).notNull(),
    osType: varchar({ length: 100 }),
    /** The name of a package's server; contains its size (T12). */
    serverName: varchar({ length: 100 }),
    /** What the client asked for besides the plan; used when the server is made. */
    setup: jsonb().$type<ServerSetup>(),
    /** As its package was when it was ordered. */
    ipv6Only: boolean().notNull().default(false),
    /** What is to be paid, without what the coupon takes off. */
    amountCents: cents().notNull(),
    coupon: varchar({ length: 30 }).references(() => coupons.code),
    /** `reserved` until it is paid; `returned` if it ends before it is delivered. */
    couponUse: word(COUPON_USES),
    discountCents: cents().notNull().default(0),
    /** How many periods a renewal buys. */
    months: integer().$type<Months>().notNull().default(1),
    /** How much of the amount is paid from the client's credit. */
    creditCents: cents().notNull().default(0),
    currency: currency(),
    status: word(OrderStatus.options).notNull().default('pending'),
    /** The payment deadline; after it what was reserved is free again (O4). */
    payBy: moment(),
    /**
     * When it ended unpaid after reserving something for a while; such orders make the next one
     * wait.
     */
    lapsedAt: moment(),
    /** A keyed hash of the network it was placed from, kept only while it is unpaid. */
    network: text(),
    /** Why it could not be delivered yet, in a sentence for the client. */
    failure: text(),
    /** The same for operators, with internal details: nodes, permissions, templates. */
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
    /** When its server was begun, at the last try. */
    beganAt: moment(),
    /** By when the new server must have answered, in witnessed time; null until it has started. */
    answerByMs: bigint({ mode: 'number' }),
    /** The proof that the server answered. Its money is earned in the same transaction. */
    answeredAt: moment(),
    answeredBy: word(PROOFS),
    /** The fingerprint it showed, if it answered by SSH. */
    hostKey: text(),
    /** When the money came back because the server stayed silent. */
    returnedAt: moment(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    check('orders_status', oneOf(t.status, OrderStatus.options)),
    check('orders_months', sql`${t.months} in (${sql.raw(MONTHS.join(', '))})`),
    check('orders_amount', sql`${t.amountCents} >= 0`),
    check('orders_kind', oneOf(t.kind, OrderKind.options)),
    check('orders_coupon_use', oneOf(t.couponUse, COUPON_USES)),
    check('orders_coupon', sql`num_nulls(${t.coupon}, ${t.couponUse}) in (0, 2)`),
    check('orders_discount', sql`(${t.discountCents} > 0) = (${t.coupon} is not null)`),
    // One free trial per account, even in a race.
    uniqueIndex('orders_one_trial')
      .on(t.userId)
      .where(sql`${t.kind} = 'trial' and ${t.status} <> 'cancelled'`),
    // A second request finds the order of the first.
    uniqueIndex('orders_one_open_renewal')
      .on(t.tokenId)
      .where(sql`${t.kind} = 'renewal' and ${t.status} = 'pending'`),
    // One change of a server's package at a time.
    uniqueIndex('orders_one_open_change')
      .on(t.tokenId)
      .where(sql`${t.kind} = 'change' and ${t.status} in ('pending', 'paid', 'provisioning')`),
    // Several would be as many open invoices for one wish.
    uniqueIndex('orders_one_open_top_up')
      .on(t.userId)
      .where(sql`${t.kind} = 'top-up' and ${t.status} = 'pending'`),
    check('orders_answered_by', oneOf(t.answeredBy, PROOFS)),
    check('orders_answered', sql`(${t.answeredAt} is null) = (${t.answeredBy} is null)`),
    check('orders_credit', sql`${t.creditCents} between 0 and ${t.amountCents}`),
    index('orders_user').on(t.userId),
    index('orders_token').on(t.tokenId, t.id),
    index('orders_coupon').on(t.coupon),
    index('orders_answer_due').on(t.answerByMs).where(sql`${t.status} = 'provisioning'`),
    index('orders_answered_at').on(t.answeredAt).where(sql`${t.answeredAt} is not null`),
    index('orders_returned_at').on(t.returnedAt).where(sql`${t.returnedAt} is not null`),
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
    /** The way the buyer chose; null: every way of the provider pays it. */
    way: text(),
    /** The provider's own id of the payment: a second report of it is the same payment. */
    providerPaymentId: providerId().notNull(),
    amountCents: cents().notNull(),
    /** The final amount received, and the amount refunded. Both only grow. */
    receivedCents: cents().notNull().default(0),
    refundedCents: cents().notNull().default(0),
    /** The amount the provider has seen so far, final or not: parts of a payment in coins. */
    seenCents: cents().notNull().default(0),
    /** The amount that the payer's bank took back in lost disputes; a later win restores it. */
    lostCents: cents().notNull().default(0),
    currency: currency(),
    status: word(PaymentState.options).notNull(),
    /** The page on which the client pays. */
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

/** A dispute: the payer's bank asks for a payment back. */
export const disputes = pgTable(
  'disputes',
  {
    /** The provider's own id. */
    id: providerId().primaryKey(),
    paymentId: integer()
      .notNull()
      .references(() => payments.id),
    amountCents: cents().notNull(),
    /** Only moves forward in this order: stale facts change nothing. */
    state: word(DISPUTE_STATES).notNull(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    check('disputes_state', oneOf(t.state, DISPUTE_STATES)),
    index('disputes_payment').on(t.paymentId),
  ],
)

/** Stripe's states of a subscription that no longer charges, or never did. */
export const ENDED_SUBSCRIPTIONS = ['canceled', 'incomplete_expired']

export const subscriptions = pgTable(
  'subscriptions',
  {
    id: id(),
    /** Null once the account is deleted; the row is deleted when the provider has ended it. */
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
  },
  (t) => [
    index('subscriptions_user').on(t.userId),
    index('subscriptions_instance').on(t.instanceId),
    index('subscriptions_token').on(t.tokenId),
  ],
)
