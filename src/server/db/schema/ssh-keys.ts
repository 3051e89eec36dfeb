import { sql } from 'drizzle-orm'
import {
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  varchar,
} from 'drizzle-orm/pg-core'
import type { KeyScope } from '#shared/rules/people/key-scopes.ts'
import { users } from './accounts.ts'
import { cents, createdAt, id, moment } from './columns.ts'
import { instances } from './stock.ts'

/** The public keys of an account, chosen when a server is made. */
export const sshKeys = pgTable(
  'ssh_keys',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: varchar({ length: 60 }).notNull(),
    /** `ssh-ed25519` and the like. */
    type: text().notNull(),
    /** Type and key without a comment. */
    publicKey: text().notNull(),
    /** `SHA256:…` */
    fingerprint: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [unique('ssh_keys_once').on(t.userId, t.fingerprint)],
)

/** The keys by which programs call the API for an account. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: varchar({ length: 60 }).notNull(),
    /** An HMAC: without the installation's secret a copy of this table opens nothing. */
    keyHash: text().notNull().unique('api_keys_hash'),
    /** Its first characters. */
    hint: varchar({ length: 12 }).notNull(),
    scopes: jsonb().$type<KeyScope[]>().notNull(),
    /** Empty: from anywhere. */
    cidrs: jsonb().$type<string[]>().notNull(),
    /** The only servers it reaches; null: all of the account. */
    instanceIds: jsonb().$type<number[]>(),
    dailyLimitCents: cents(),
    expiresAt: moment(),
    /** A day and no time: enough for the owner to find keys that are not in use. */
    lastUsedOn: date({ mode: 'string' }),
    createdAt: createdAt(),
  },
  (t) => [
    index('api_keys_user').on(t.userId),
    check('api_keys_limit', sql`${t.dailyLimitCents} > 0`),
  ],
)

/**
 * The keys a server was made with. They stay when the account deletes one from its ring: it is
 * still on the server.
 */
export const serverKeys = pgTable(
  'server_keys',
  {
    instanceId: integer()
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    fingerprint: text().notNull(),
    publicKey: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.instanceId, t.fingerprint] }),
    index('server_keys_fingerprint').on(t.fingerprint),
  ],
)

/** The keys by which a server proved itself on port 22, each once; the current and the earlier. */
export const hostKeys = pgTable(
  'host_keys',
  {
    instanceId: integer()
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    /** `ssh-ed25519` and the like. */
    type: text().notNull(),
    /** `SHA256:…` */
    fingerprint: text().notNull(),
    /** In base64, without the type. */
    publicKey: text().notNull(),
    seenAt: moment().notNull(),
    lastSeenAt: moment().notNull(),
    /** When another key answered in its place; null for a current one. */
    replacedAt: moment(),
  },
  (t) => [primaryKey({ columns: [t.instanceId, t.type, t.fingerprint] })],
)

/** When we look for the host keys of a server; without a row, at once. */
export const hostKeyLooks = pgTable('host_key_looks', {
  instanceId: integer()
    .primaryKey()
    .references(() => instances.id, { onDelete: 'cascade' }),
  /** The first look after a delivery or a new state: the first ones follow each other quickly. */
  since: moment().notNull(),
  lookedAt: moment().notNull(),
  nextAt: moment().notNull(),
})
