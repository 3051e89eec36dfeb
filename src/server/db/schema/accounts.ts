import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { Role } from '#shared/api/people/users.ts'
import { createdAt, id, moment, oneOf, word } from './columns.ts'

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
    role: word(Role.options).notNull().default('client'),
    isActive: boolean().notNull().default(true),
    stripeCustomerId: varchar({ length: 100 }),
    agreedToTerms: boolean().notNull().default(false),
    /** HMAC of the browser's identifier: recognises the same device without revealing it. */
    deviceHash: text(),
    /** Truncated to /24 or /48, shown to operators, and cleared after 30 days. */
    registrationIp: text(),
    /** Under DEVICE_POLICY=trial: another account has this device, so no free trial here. */
    isLookAlike: boolean().notNull().default(false),
    /**
     * Seals this account's name in the audit log. Deleted with the row, and with it the last way to
     * tell which entries concern this account (decision 013).
     */
    auditKey: text()
      .notNull()
      .default(sql`replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    check('users_role', oneOf(t.role, Role.options)),
    uniqueIndex('users_email').on(sql`lower(${t.email})`).where(sql`${t.email} is not null`),
    uniqueIndex('users_device').on(t.deviceHash).where(sql`${t.deviceHash} is not null`),
  ],
)

/** An account that an entry of the log refers to. */
const account = () => integer().references(() => users.id, { onDelete: 'set null' })

/** Every username ever assigned. Nothing is deleted here: a number is never reused. */
export const usernames = pgTable('usernames', { username: varchar({ length: 50 }).primaryKey() })

export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    /** SHA-256 of the cookie's value: a copy of this table cannot be used to sign in. */
    tokenHash: text().notNull().unique(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The client that the admin of this session simulates. */
    simulatedUserId: integer().references(() => users.id, { onDelete: 'set null' }),
    simulationEndsAt: moment(),
    device: varchar({ length: 60 }).notNull(),
    /** When a code of the second factor was last accepted in this session. */
    secondFactorAt: moment(),
    createdAt: createdAt(),
    lastSeenAt: createdAt(),
    expiresAt: moment().notNull(),
  },
  (t) => [
    index('sessions_user').on(t.userId),
    index('sessions_simulated').on(t.simulatedUserId).where(sql`${t.simulatedUserId} is not null`),
    index('sessions_expiry').on(t.expiresAt),
  ],
)

/** The codes of an app (TOTP) that an account is asked for beside its password. */
export const secondFactors = pgTable('second_factors', {
  userId: integer()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Sealed. */
  secret: text().notNull(),
  /** Null until a first code has shown that the app has the secret: it is not asked for before. */
  confirmedAt: moment(),
  /** The time step of the newest code that was accepted. It and older ones are not accepted again. */
  lastStep: integer().notNull().default(0),
  createdAt: createdAt(),
})

/** What is left of the codes on paper. One that was used is deleted. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256; the code has 80 random bits, so a plain hash cannot be searched. */
    codeHash: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
)

/**
 * Passkeys, used in place of a code. They belong to the codes of an app, not to the account: without
 * those there are none (decision 040).
 */
export const passkeys = pgTable(
  'passkeys',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => secondFactors.userId, { onDelete: 'cascade' }),
    name: varchar({ length: 60 }).notNull(),
    /** The host it was made for: browsers offer it nowhere else. */
    address: text().notNull(),
    /** Chosen by the authenticator, in base64url. */
    credentialId: text().notNull().unique('passkeys_credential'),
    /** COSE, in base64url. */
    publicKey: text().notNull(),
    /** How often the authenticator says it has signed; 0 for the many that do not count. */
    counter: bigint({ mode: 'number' }).notNull(),
    /** A day and no time: enough for the owner to find those that are not in use. */
    lastUsedOn: date({ mode: 'string' }),
    createdAt: createdAt(),
  },
  (t) => [index('passkeys_user').on(t.userId)],
)

const CHALLENGE_USES = ['add', 'prove', 'sign-in'] as const
export type ChallengeUse = (typeof CHALLENGE_USES)[number]

/** What a passkey was asked to sign. A row is deleted by the first answer, whatever it is. */
export const passkeyChallenges = pgTable(
  'passkey_challenges',
  {
    /** SHA-256 of the 32 random bytes. */
    challengeHash: text().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The session that asked; null at the sign-in, where the password is sent again. */
    sessionId: integer().references(() => sessions.id, { onDelete: 'cascade' }),
    use: word(CHALLENGE_USES).notNull(),
    expiresAt: moment().notNull(),
  },
  (t) => [
    check('passkey_challenges_use', oneOf(t.use, CHALLENGE_USES)),
    check('passkey_challenges_session', sql`(${t.use} = 'sign-in') = (${t.sessionId} is null)`),
    index('passkey_challenges_expiry').on(t.expiresAt),
  ],
)

/** The twelve words that give an account a new password. */
export const recoveryKits = pgTable('recovery_kits', {
  userId: integer()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** argon2id, as for a password. */
  wordsHash: text().notNull(),
  createdAt: moment().notNull(),
})

/** A new password that waits until the owner has had time to object. */
export const recoveries = pgTable(
  'recoveries',
  {
    userId: integer()
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    passwordHash: text().notNull(),
    startedAt: moment().notNull(),
    availableAt: moment().notNull(),
  },
  (t) => [index('recoveries_available').on(t.availableAt)],
)

/**
 * The audit log. Append-only by a trigger, each row sealed by the hash of the one before. The hash
 * covers the seals, not the ids: when an account is deleted the ids become null, which is the one
 * change the trigger allows, and the chain stays valid.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    at: moment().notNull(),
    actorId: account(),
    /** The admin behind a simulation. */
    adminId: account(),
    /** The account it was done to; then `target` is `user`. */
    subjectId: account(),
    actorSeal: text(),
    adminSeal: text(),
    subjectSeal: text(),
    action: text().notNull(),
    target: text(),
    details: jsonb().$type<Record<string, unknown>>().notNull(),
    previousHash: text().notNull(),
    hash: text().notNull().unique(),
  },
  (t) => [
    index('audit_actor').on(t.actorId),
    index('audit_admin').on(t.adminId),
    index('audit_subject').on(t.subjectId),
    index('audit_target').on(t.target),
    index('audit_at').on(t.at),
  ],
)

/** Where the chain begins since its oldest entries were deleted. */
export const auditCheckpoints = pgTable('audit_checkpoints', {
  id: id(),
  at: moment().notNull(),
  lastId: bigint({ mode: 'number' }).notNull(),
  entries: integer().notNull(),
  /** The hash of the last deleted entry, which the first remaining one names as its predecessor. */
  hash: text().notNull(),
})

/** Failed sign-ins of an hour: one row for each account, and one for all unknown names. */
export const failedLogins = pgTable(
  'failed_logins',
  {
    id: id(),
    hour: moment().notNull(),
    userId: integer().references(() => users.id, { onDelete: 'cascade' }),
    count: integer().notNull().default(1),
    /** The time of the last one; older rows have only their hour. */
    lastAt: moment(),
  },
  (t) => [
    uniqueIndex('failed_logins_account').on(t.hour, t.userId).where(sql`${t.userId} is not null`),
    uniqueIndex('failed_logins_strangers').on(t.hour).where(sql`${t.userId} is null`),
    index('failed_logins_user').on(t.userId),
  ],
)

/** Settings of the installation itself, such as the pepper of the device hashes (sealed). */
export const settings = pgTable('settings', {
  key: text().primaryKey(),
  value: text().notNull(),
  updatedAt: createdAt(),
})
