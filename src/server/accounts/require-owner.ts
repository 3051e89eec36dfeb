import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { sessions, users } from '../db/schema/accounts.ts'
import type { Clock } from '../lib/clock.ts'
import type { Limiters } from '../limits/limiters.ts'
import { createPasswordGate } from '../limits/password-gate.ts'
import { isPassword } from '../passwords/passwords.ts'
import type { Actor } from '../sessions/actor.ts'

/** How long after signing in the password counts as just entered. */
const FRESH_MS = 10 * MINUTE_MS

/**
 * Asks for the password, unless it was entered a few minutes ago to sign in. A session that was left
 * open must not be enough to add a way into the account.
 */
export function createOwnerCheck({
  db,
  clock,
  limiters,
}: {
  db: Db
  clock: Clock
  limiters: Limiters
}) {
  const gate = createPasswordGate(limiters)

  return async ({ user, sessionId }: Actor, password: string | undefined): Promise<void> => {
    if (password !== undefined) {
      const [row] = await db.select().from(users).where(eq(users.id, user.id))
      return await gate.pass(user.id, () => isPassword(row?.passwordHash, password))
    }
    const [session] = await db.select().from(sessions).where(eq(sessions.id, sessionId))
    const age = session && clock.now().getTime() - session.createdAt.getTime()
    if (age !== undefined && age <= FRESH_MS) return
    throw new AppError('INVALID_INPUT', 'Please enter your password')
  }
}
