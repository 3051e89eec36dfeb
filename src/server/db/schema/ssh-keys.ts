import { index, integer, pgTable, primaryKey, text, unique, varchar } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { createdAt, id } from './columns.ts'
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
