import { sql } from 'drizzle-orm'
import {
  bigserial,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { createdAt, id, moment } from './columns.ts'

export const users = pgTable(
  'users',
  {
    id: id(),
    username: varchar({ length: 50 }).notNull().unique(),
    email: varchar({ length: 255 }),
    firstName: varchar({ length: 100 }),
    lastName: varchar({ length: 100 }),
    mobileNumber: varchar({ length: 20 }),
    passwordHash: text().notNull(),
    role: text().notNull().default('client'),
    isActive: boolean().notNull().default(true),
    stripeCustomerId: varchar({ length: 100 }),
    agreedToTerms: boolean().notNull().default(false),
    /** HMAC of the browser's identifier: tells equal devices apart, reveals none. */
    deviceHash: text(),
    /** Truncated to /24 or /48, and cleared after 30 days. */
    registrationIp: text(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    check('users_role', sql`${t.role} in ('admin', 'client')`),
    uniqueIndex('users_email').on(sql`lower(${t.email})`).where(sql`${t.email} is not null`),
    uniqueIndex('users_device').on(t.deviceHash).where(sql`${t.deviceHash} is not null`),
  ],
)

/** Every username ever given out. Nothing is deleted here: a number is never given twice. */
export const usernames = pgTable('usernames', { username: varchar({ length: 50 }).primaryKey() })

export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    /** SHA-256 of the cookie's value: a copy of this table signs nobody in. */
    tokenHash: text().notNull().unique(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The client whom the admin of this session looks in as. */
    simulatedUserId: integer().references(() => users.id, { onDelete: 'set null' }),
    simulationEndsAt: moment(),
    device: varchar({ length: 60 }).notNull(),
    createdAt: createdAt(),
    lastSeenAt: createdAt(),
    expiresAt: moment().notNull(),
  },
  (t) => [index('sessions_user').on(t.userId), index('sessions_expiry').on(t.expiresAt)],
)

/**
 * Who did what. Append-only by a trigger, each row sealed by the hash of the one before.
 * No foreign keys: an entry outlives what it speaks of.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    at: moment().notNull(),
    actorId: integer(),
    adminId: integer(),
    action: text().notNull(),
    target: text(),
    details: jsonb().$type<Record<string, unknown>>().notNull(),
    previousHash: text().notNull(),
    hash: text().notNull().unique(),
  },
  (t) => [index('audit_actor').on(t.actorId), index('audit_target').on(t.target)],
)

/** Small facts of the installation itself, such as the pepper of the device hashes (sealed). */
export const settings = pgTable('settings', {
  key: text().primaryKey(),
  value: text().notNull(),
  updatedAt: createdAt(),
})
