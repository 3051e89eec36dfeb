import { sql } from 'drizzle-orm'
import {
  check,
  index,
  inet,
  integer,
  jsonb,
  pgTable,
  smallint,
  text,
  unique,
  varchar,
} from 'drizzle-orm/pg-core'
import { AddressState } from '#shared/api/servers/pools.ts'
import { ReverseState } from '#shared/api/servers/reverse-dns.ts'
import type { AddressRange } from '#shared/rules/network/pool.ts'
import { users } from './accounts.ts'
import { createdAt, id, moment, oneOf, word } from './columns.ts'
import { clusters } from './infrastructure.ts'
import { instances, tokens } from './stock.ts'

export const pools = pgTable(
  'pools',
  {
    id: id(),
    clusterId: integer()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    name: varchar({ length: 60 }).notNull(),
    family: smallint().$type<4 | 6>().notNull(),
    cidr: varchar({ length: 49 }).notNull(),
    gateway: varchar({ length: 45 }).notNull(),
    /** In ascending order; a pool without a range is only proposed, and hands out nothing. */
    ranges: jsonb().$type<AddressRange[]>().notNull().default([]),
    reserved: jsonb().$type<{ address: string; reason: string }[]>().notNull().default([]),
    bridge: varchar({ length: 15 }).notNull(),
    vlan: integer(),
    nameservers: jsonb().$type<string[]>().notNull(),
    searchDomain: varchar({ length: 253 }).notNull(),
    /** The zone that names of its addresses are written to; null: it offers no reverse DNS. */
    rdns: varchar({ length: 253 }),
    /** The name that each of its servers' addresses has by itself. */
    rdnsPattern: varchar({ length: 253 }),
    prefixPerServer: smallint(),
    /** The last address that has a row as a free one; those after it get theirs when needed. */
    laidOut: inet(),
    createdAt: createdAt(),
  },
  (t) => [
    unique('pools_name').on(t.clusterId, t.name),
    check('pools_family', sql`${t.family} in (4, 6)`),
  ],
)

/** The addresses that are not free, and the next free ones (decision 026). */
export const addresses = pgTable(
  'addresses',
  {
    id: id(),
    poolId: integer()
      .notNull()
      .references(() => pools.id, { onDelete: 'cascade' }),
    /** As in its pool, so that one index finds the next free address of a cluster. */
    clusterId: integer()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    family: smallint().$type<4 | 6>().notNull(),
    address: inet().notNull(),
    state: word(AddressState.options).notNull().default('free'),
    tokenId: integer().references(() => tokens.id, { onDelete: 'set null' }),
    instanceId: integer().references(() => instances.id, { onDelete: 'set null' }),
    /** Why it is reserved, or what else was seen to have it. */
    reason: text(),
    /** The end of its cooling. */
    until: moment(),
  },
  (t) => [
    unique('addresses_address').on(t.clusterId, t.address),
    index('addresses_instance').on(t.instanceId).where(sql`${t.instanceId} is not null`),
    index('addresses_next')
      .on(t.clusterId, t.family, t.address)
      .where(sql`${t.state} in ('free', 'cooling')`),
    index('addresses_pool').on(t.poolId),
    index('addresses_token').on(t.tokenId),
    check('addresses_state', oneOf(t.state, AddressState.options)),
    check('addresses_cooling', sql`(${t.state} = 'cooling') = (${t.until} is not null)`),
    check('addresses_reserved', sql`${t.state} <> 'reserved' or ${t.reason} is not null`),
  ],
)

/**
 * What the DNS server is to answer for an address, and whether it was told. A row goes only after the
 * DNS server has forgotten the name, so it outlives the server, the pool and the cluster.
 */
export const reverseNames = pgTable(
  'reverse_names',
  {
    id: id(),
    clusterId: integer().references(() => clusters.id, { onDelete: 'set null' }),
    address: inet().notNull(),
    /** Where its PTR record is: 5.113.0.203.in-addr.arpa. */
    name: varchar({ length: 253 }).notNull().unique(),
    /** Whose name it is: with another server or another owner it ends. */
    instanceId: integer().references(() => instances.id, { onDelete: 'set null' }),
    ownerId: integer().references(() => users.id, { onDelete: 'set null' }),
    /** What its owner chose; null: the one it has by itself. */
    hostname: varchar({ length: 253 }),
    /** What the DNS server is to answer; null: nothing. */
    wanted: varchar({ length: 253 }),
    state: word(ReverseState.options).notNull().default('pending'),
    /** Counts wishes, so that an answer to an older one is not taken for one to the newest. */
    wish: integer().notNull().default(1),
    /** Why the last try failed, for operators. */
    reason: text(),
    tries: integer().notNull().default(0),
    nextAt: moment().notNull(),
    /** Until then another process is telling the DNS server. */
    busyUntil: moment(),
  },
  (t) => [
    index('reverse_names_address').on(t.clusterId, t.address),
    index('reverse_names_instance').on(t.instanceId),
    index('reverse_names_owner').on(t.ownerId),
    index('reverse_names_due').on(t.nextAt),
    check('reverse_names_state', oneOf(t.state, ReverseState.options)),
    check('reverse_names_reason', sql`(${t.state} = 'failed') = (${t.reason} is not null)`),
  ],
)
