import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { createdAt, id, moment } from './columns.ts'
import { instances, tokens } from './stock.ts'

/** Open codes, one for each server. Not part of a backup: it may have been withdrawn since. */
export const handoverCodes = pgTable('handover_codes', {
  tokenId: integer()
    .primaryKey()
    .references(() => tokens.id, { onDelete: 'cascade' }),
  giverId: integer()
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** SHA-256; the code itself is not stored. */
  codeHash: text().notNull().unique(),
  createdAt: createdAt(),
  expiresAt: moment().notNull(),
})

/** A server that went from one account to another. */
export const handovers = pgTable(
  'handovers',
  {
    id: id(),
    tokenId: integer()
      .notNull()
      .references(() => tokens.id, { onDelete: 'cascade' }),
    instanceId: integer()
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    /** The former owner, whose payments are for it still. */
    giverId: integer().references(() => users.id, { onDelete: 'set null' }),
    at: moment().notNull(),
    /** The job that replaces the login. */
    jobId: text(),
    /** When the login of the new owner was in force; null until then. */
    loginSetAt: moment(),
  },
  (t) => [
    index('handovers_token').on(t.tokenId),
    index('handovers_instance').on(t.instanceId),
    index('handovers_giver').on(t.giverId),
  ],
)
