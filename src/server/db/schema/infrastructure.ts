import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { NodeStatus } from '#shared/api/servers/nodes.ts'
import { bytes, createdAt, id, moment, oneOf, word } from './columns.ts'

/** A node of the cluster, and the certificate that another node vouched for. */
type OtherHost = {
  host: string
  port: number
  node: string
  pin: { fingerprint: string; pem: string }
}

export const clusters = pgTable(
  'clusters',
  {
    id: id(),
    /** Binds the sealed secret to this row. */
    uid: text().notNull().unique(),
    name: varchar({ length: 100 }).notNull(),
    host: varchar({ length: 253 }).notNull(),
    port: integer().notNull().default(8006),
    /** `user@realm`, or `user@realm!id` for an API token. */
    username: varchar({ length: 100 }).notNull(),
    /** Sealed: the password, or the token's secret. */
    password: text().notNull(),
    isDefault: boolean().notNull().default(false),
    tlsFingerprint: text(),
    tlsPem: text(),
    /** Networks, VM id range, pool, storage, kind of clones, direct console. */
    settings: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** Addresses of its nodes, bridges and gateways: never a client's. */
    ownAddresses: jsonb().$type<string[]>().notNull().default([]),
    /**
     * Its other nodes, used when this one is unreachable, each with the certificate that was
     * vouched for.
     */
    otherHosts: jsonb().$type<OtherHost[]>().notNull().default([]),
    lastSyncAt: moment(),
    lastError: text(),
    createdAt: createdAt(),
  },
  (t) => [
    unique('clusters_address').on(t.host, t.port),
    uniqueIndex('clusters_one_default').on(t.isDefault).where(sql`${t.isDefault}`),
  ],
)

export const nodes = pgTable(
  'nodes',
  {
    id: id(),
    clusterId: integer()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    name: varchar({ length: 100 }).notNull(),
    status: word(NodeStatus.options).notNull().default('unknown'),
    cpuUsage: doublePrecision(),
    memoryUsed: bytes(),
    memoryTotal: bytes(),
    storageUsed: bytes(),
    storageTotal: bytes(),
    vmCount: integer().notNull().default(0),
    lastUpdated: moment(),
  },
  (t) => [
    unique('nodes_name').on(t.clusterId, t.name),
    check('nodes_status', oneOf(t.status, NodeStatus.options)),
  ],
)

export const templates = pgTable(
  'templates',
  {
    id: id(),
    clusterId: integer()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    nodeId: integer()
      .notNull()
      .references(() => nodes.id, { onDelete: 'cascade' }),
    name: varchar({ length: 255 }).notNull(),
    /** The VM id of the template in its cluster. */
    templateId: integer().notNull(),
    osType: varchar({ length: 100 }),
    description: text(),
    /** Whether cloud-init can set a clone's user and address; null until it was read. */
    hasCloudInit: boolean(),
    /** The storages of its disks; null until they were read. */
    storages: jsonb().$type<string[]>(),
    missingSince: moment(),
  },
  (t) => [unique('templates_vm').on(t.clusterId, t.templateId)],
)

export const operatingSystems = pgTable('operating_systems', {
  id: id(),
  name: varchar({ length: 100 }).notNull().unique(),
  description: text(),
  isActive: boolean().notNull().default(true),
  createdAt: createdAt(),
})

/**
 * Every VM id that we ever gave out, also of VMs that are long gone: archives belong to the id, and
 * a later VM with it would have those of a former client.
 */
export const usedVmIds = pgTable(
  'used_vm_ids',
  {
    clusterId: integer()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    vmId: integer().notNull(),
    givenAt: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.clusterId, t.vmId] })],
)

/** ISO images of a cluster that clients may boot a server from. */
export const isos = pgTable(
  'isos',
  {
    id: id(),
    clusterId: integer()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    /** As the cluster calls it: `local:iso/debian.iso`. */
    volume: varchar({ length: 300 }).notNull(),
    name: varchar({ length: 60 }).notNull(),
    /** The one that a server in trouble is started from. */
    isRescue: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    unique('isos_volume').on(t.clusterId, t.volume),
    uniqueIndex('isos_one_rescue').on(t.clusterId).where(sql`${t.isRescue}`),
  ],
)
