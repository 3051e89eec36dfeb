import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { TokenStatus, TokenType } from '#shared/api/shop/tokens.ts'
import { CD_KINDS } from '#shared/rules/instance/cds.ts'
import { users } from './accounts.ts'
import { bytes, cents, createdAt, id, moment, oneOf, providerId, word } from './columns.ts'
import { clusters, nodes, templates } from './infrastructure.ts'

export const billingPlans = pgTable('billing_plans', {
  id: id(),
  name: varchar({ length: 100 }).notNull(),
  description: text(),
  monthlyPriceCents: cents().notNull(),
  stripePriceId: providerId(),
  features: jsonb().$type<string[]>().notNull().default([]),
  isActive: boolean().notNull().default(true),
})

/** A discount by a code. Which orders have it, and whether that is a use, is in `orders`. */
export const coupons = pgTable(
  'coupons',
  {
    id: id(),
    /** As it is shown. Never changes: orders refer to it. */
    code: varchar({ length: 30 }).notNull().unique(),
    /** The same as `readVoucher` reads it, so that it may be typed as people type. */
    typed: text().notNull().unique(),
    percent: integer(),
    offCents: cents(),
    /** Null: every package, and servers that belong to none. */
    packageIds: jsonb().$type<string[]>(),
    firstOnly: boolean().notNull().default(false),
    renewals: boolean().notNull().default(false),
    validFrom: moment(),
    validUntil: moment(),
    maxUses: integer(),
    maxPerAccount: integer(),
    note: text(),
    isOn: boolean().notNull().default(true),
    createdAt: createdAt(),
  },
  (t) => [
    check('coupons_off', sql`(${t.percent} is null) <> (${t.offCents} is null)`),
    check('coupons_percent', sql`${t.percent} between 1 and 100`),
    check('coupons_off_cents', sql`${t.offCents} > 0`),
  ],
)

export const tokens = pgTable(
  'tokens',
  {
    id: id(),
    /** Public and unguessable; also binds the sealed password to this row. */
    tokenId: varchar({ length: 40 }).notNull().unique(),
    name: varchar({ length: 100 }).notNull(),
    tokenType: word(TokenType.options).notNull().default('ip_mac'),
    ipAddress: varchar({ length: 45 }),
    ipv6Address: varchar({ length: 45 }),
    macAddress: varchar({ length: 17 }),
    username: varchar({ length: 50 }).notNull(),
    /** Sealed. */
    password: text().notNull(),
    osType: varchar({ length: 100 }).notNull(),
    nodeId: integer().references(() => nodes.id, { onDelete: 'set null' }),
    templateId: integer().references(() => templates.id, { onDelete: 'set null' }),
    instanceId: integer().references((): AnyPgColumn => instances.id, { onDelete: 'set null' }),
    billingPlanId: integer().references(() => billingPlans.id, { onDelete: 'set null' }),
    monthlyPriceCents: cents().notNull().default(0),
    durationDays: integer().notNull().default(30),
    clientIpAddress: varchar({ length: 45 }),
    domain: varchar({ length: 253 }),
    status: word(TokenStatus.options).notNull().default('ready'),
    assignedUserId: integer().references(() => users.id, { onDelete: 'set null' }),
    assignedInstanceId: integer().references((): AnyPgColumn => instances.id, {
      onDelete: 'set null',
    }),
    assignedAt: moment(),
    expiresAt: moment(),
    /** Renewed from its owner's credit before it ends. */
    autoRenew: boolean().notNull().default(false),
    /** The end of which the owner was told that the credit does not cover its renewal. */
    autoRenewTold: moment(),
    proxmoxVmId: integer(),
    cancelledAt: moment(),
    /** Made for this order of a package, never on sale: deleted if the order is not delivered. */
    forOrder: integer(),
    /** Why its last hand-over failed: it is not sold again until an operator has looked at it. */
    blocked: text(),
    createdAt: createdAt(),
  },
  (t) => [
    check('tokens_type', oneOf(t.tokenType, TokenType.options)),
    check('tokens_status', oneOf(t.status, TokenStatus.options)),
    check('tokens_cancelled', sql`(${t.status} = 'cancelled') = (${t.cancelledAt} is not null)`),
    check('tokens_price', sql`${t.monthlyPriceCents} >= 0`),
    check('tokens_duration', sql`${t.durationDays} > 0`),
    index('tokens_status_index').on(t.status),
    index('tokens_owner').on(t.assignedUserId),
    index('tokens_auto_renew').on(t.expiresAt).where(sql`${t.autoRenew}`),
    index('tokens_instance').on(t.instanceId),
    index('tokens_assigned_instance').on(t.assignedInstanceId),
    uniqueIndex('tokens_mac')
      .on(t.macAddress)
      .where(sql`${t.macAddress} is not null and ${t.status} <> 'cancelled'`),
  ],
)

/** The cause of a suspension: a won dispute lifts only a suspension made by a dispute. */
export const SUSPEND_CAUSES = ['operator', 'dispute'] as const

/** One text for operators, and one for the client whose server it is. */
export type PowerFailure = { message: string; publicMessage: string }

export const instances = pgTable(
  'instances',
  {
    id: id(),
    clusterId: integer()
      .notNull()
      .references(() => clusters.id),
    vmId: integer().notNull(),
    /** Written into the VM we made; together with the id it proves that the VM is ours. */
    marker: text(),
    /** The VM's own identity, as the cluster assigned it. */
    uuid: text(),
    nodeId: integer().references(() => nodes.id, { onDelete: 'set null' }),
    templateId: integer().references(() => templates.id, { onDelete: 'set null' }),
    tokenId: integer().references((): AnyPgColumn => tokens.id, { onDelete: 'set null' }),
    ownerId: integer().references(() => users.id, { onDelete: 'set null' }),
    name: varchar({ length: 255 }).notNull(),
    /** What its client calls it; the name is shown until there is one. */
    label: varchar({ length: 60 }),
    /** In lower case, and unique within the account. */
    hostname: varchar({ length: 63 }),
    /** Of the operators, for operators. */
    notes: text(),
    ipAddress: varchar({ length: 45 }),
    ipv6Address: varchar({ length: 45 }),
    /** Addresses in the configuration or the guest of a VM that we did not make. */
    seenAddresses: jsonb().$type<string[]>().notNull().default([]),
    /** When its configuration was last read for them. */
    describedAt: moment(),
    status: text().notNull().default('stopped'),
    uptime: integer().notNull().default(0),
    cpuUsage: doublePrecision(),
    memoryUsed: bytes(),
    subscriptionId: varchar({ length: 100 }),
    monthlyPriceCents: cents(),
    /** Set when the cluster answered and no longer has the VM. Never recreated automatically. */
    missingSince: moment(),
    /** Stopped and kept by an operator, or because its payment was taken back. */
    suspendedAt: moment(),
    suspendReason: varchar({ length: 300 }),
    suspendCause: word(SUSPEND_CAUSES),
    /** Why the last power action failed; cleared by the next one. */
    powerFailure: jsonb().$type<PowerFailure>(),
    createdAt: createdAt(),
    lastUpdated: moment(),
  },
  (t) => [
    unique('instances_vm').on(t.clusterId, t.vmId),
    index('instances_owner').on(t.ownerId),
    index('instances_node').on(t.nodeId),
    index('instances_token').on(t.tokenId),
    uniqueIndex('instances_hostname')
      .on(t.ownerId, t.hostname)
      .where(sql`${t.ownerId} is not null and ${t.hostname} is not null`),
    check(
      'instances_suspended',
      sql`(${t.suspendedAt} is null) = (${t.suspendReason} is null) and (${t.suspendedAt} is null) = (${t.suspendCause} is null)`,
    ),
  ],
)

/** The CD in a server's drive, and what the server boots from without it. */
export const serverCds = pgTable(
  'server_cds',
  {
    instanceId: integer()
      .primaryKey()
      .references(() => instances.id, { onDelete: 'cascade' }),
    kind: word(CD_KINDS).notNull(),
    name: varchar({ length: 300 }).notNull(),
    volume: varchar({ length: 300 }).notNull(),
    slot: varchar({ length: 10 }).notNull(),
    /** As the cluster had them; null where it had none. */
    boot: text(),
    bootdisk: text(),
    putInAt: moment().notNull(),
    /** Null until the server has started from it. */
    bootedAt: moment(),
    /** When taking it out was last begun by itself. */
    triedAt: moment(),
  },
  (t) => [check('server_cds_kind', oneOf(t.kind, CD_KINDS))],
)

/** An image that a client had downloaded. The row stays until its file is gone. */
export const ownIsos = pgTable(
  'own_isos',
  {
    id: id(),
    clusterId: integer()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    /** Null once the server is gone. */
    instanceId: integer().references(() => instances.id, { onDelete: 'set null' }),
    node: varchar({ length: 100 }).notNull(),
    volume: varchar({ length: 300 }).notNull(),
    url: text().notNull(),
    sha256: varchar({ length: 64 }).notNull(),
    createdAt: createdAt(),
    expiresAt: moment().notNull(),
    triedAt: moment(),
  },
  (t) => [
    unique('own_isos_volume').on(t.clusterId, t.node, t.volume),
    index('own_isos_server').on(t.instanceId),
    index('own_isos_expire').on(t.expiresAt),
  ],
)
