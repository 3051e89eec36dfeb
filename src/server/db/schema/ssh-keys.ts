import { index, integer, pgTable, primaryKey, text, unique, varchar } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { createdAt, id, moment } from './columns.ts'
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
