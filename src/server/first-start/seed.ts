import { count, eq, sql } from 'drizzle-orm'
import { takeUsername } from '../accounts/usernames.ts'
import { type Config, ConfigError } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'
import { operatingSystems } from '../db/schema/infrastructure.ts'
import { packages } from '../db/schema/sales.ts'
import type { Random } from '../lib/random.ts'
import { randomPassword } from '../lib/random.ts'
import { isCommonPassword } from '../passwords/common-passwords.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { FIRST_OPERATING_SYSTEMS, FIRST_PACKAGES } from './seed-data.ts'

/** An arbitrary number: every process that seeds this database takes the same lock. */
const SEED_LOCK = 7_304_215

export type FirstAdmin = { email: string; password: string | undefined }

/**
 * The first data of a new installation. Each part only if there is none of its kind, so that rows
 * an operator deletes stay deleted as long as one of the kind is left. Returns the admin if it was
 * created now; the password only if it was generated.
 */
export async function seed(
  db: Db,
  config: Pick<Config, 'adminEmail' | 'adminPassword'>,
  random: Random,
): Promise<FirstAdmin | undefined> {
  return await db.transaction(async (tx) => {
    // Several processes may start for the first time at once.
    await tx.execute(sql`select pg_advisory_xact_lock(${SEED_LOCK})`)
    await fillIfEmpty(tx)
    const [admins] = await tx.select({ of: count() }).from(users).where(eq(users.role, 'admin'))
    if (admins && admins.of > 0) return undefined
    if (config.adminPassword !== undefined) refuseCommonAdmin(config.adminPassword)
    const password = config.adminPassword ?? randomPassword(random)
    await tx.insert(users).values({
      username: await takeUsername(tx, random),
      email: config.adminEmail,
      passwordHash: await hashPassword(password),
      role: 'admin',
      agreedToTerms: true,
    })
    return {
      email: config.adminEmail,
      password: config.adminPassword === undefined ? password : undefined,
    }
  })
}

/** These are the first passwords an attacker tries. */
export function refuseCommonAdmin(password: string): void {
  if (!isCommonPassword(password)) return
  throw new ConfigError([
    'ADMIN_PASSWORD is one of the most common passwords: choose another, or leave it out for a random one',
  ])
}

async function fillIfEmpty(tx: Db): Promise<void> {
  const [systems] = await tx.select({ of: count() }).from(operatingSystems)
  if (systems?.of === 0) {
    await tx.insert(operatingSystems).values(FIRST_OPERATING_SYSTEMS).onConflictDoNothing()
  }
  const [plans] = await tx.select({ of: count() }).from(packages)
  if (plans?.of === 0) await tx.insert(packages).values(FIRST_PACKAGES).onConflictDoNothing()
}
