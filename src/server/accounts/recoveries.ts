import { and, asc, eq, lte } from 'drizzle-orm'
import { HOUR_MS } from '#shared/rules/time/durations.ts'
import { endProgramsOf } from '../api-keys/end-keys.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { recoveries, recoveryKits, users } from '../db/schema/accounts.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { Clock } from '../lib/clock.ts'
import { isPassword } from '../passwords/passwords.ts'
import { removeSecondFactor } from '../second-factor/second-factors.ts'
import type { Sessions } from '../sessions/sessions.ts'

const AT_ONCE = 100

type RecoveryDeps = {
  db: Db
  clock: Clock
  events: EventBus
  sessions: Sessions
  audit: Audit
  config: Pick<Config, 'recoveryDelayHours'>
}

/** A kit whose words were right, and the password that is to be in force. */
type Wish = { userId: number; wordsHash: string; password: string; passwordHash: string }

export type Recoveries = ReturnType<typeof createRecoveries>

export function createRecoveries(deps: RecoveryDeps) {
  const { db, clock, events, sessions, audit, config } = deps
  /** Every change of an account locks its row first, so that no two wait for each other. */
  const lock = async (tx: Db, userId: number): Promise<void> => {
    await tx.select().from(users).where(eq(users.id, userId)).for('no key update')
  }
  const tell = (tx: Db, userId: number) =>
    events.emit(tx, `user:${userId}`, { type: 'changed', nouns: ['recovery'] })

  /** Puts the new password in force. One delete decides between this and the owner's objection. */
  const finish = async (userId: number): Promise<void> =>
    db.transaction(async (tx) => {
      await lock(tx, userId)
      const [due] = await tx
        .delete(recoveries)
        .where(and(eq(recoveries.userId, userId), lte(recoveries.availableAt, clock.now())))
        .returning()
      if (!due) return
      const { passwordHash } = due
      await tx
        .update(users)
        .set({ passwordHash, updatedAt: clock.now() })
        .where(eq(users.id, userId))
      await removeSecondFactor(tx, userId)
      await endProgramsOf(tx, userId)
      await tx.delete(recoveryKits).where(eq(recoveryKits.userId, userId))
      await sessions.endAllOf(tx, userId)
      await audit.record(tx, undefined, { action: 'auth.recovered', target: `user:${userId}` })
    })

  return {
    /** Undefined if the words were replaced or used meanwhile. */
    async begin(wish: Wish): Promise<Date | undefined> {
      const { userId, wordsHash, passwordHash } = wish
      const pending = await pendingOf(db, userId)
      // The same request again, for example because the answer was lost, does not wait longer.
      const isSame = pending && (await isPassword(pending.passwordHash, wish.password))
      return await db.transaction(async (tx) => {
        await lock(tx, userId)
        const kits = and(eq(recoveryKits.userId, userId), eq(recoveryKits.wordsHash, wordsHash))
        if ((await tx.$count(recoveryKits, kits)) === 0) return undefined
        const current = await pendingOf(tx, userId)
        if (isSame && current?.passwordHash === pending.passwordHash) return current.availableAt
        const startedAt = clock.now()
        const availableAt = new Date(startedAt.getTime() + config.recoveryDelayHours * HOUR_MS)
        const values = { passwordHash, startedAt, availableAt }
        await tx
          .insert(recoveries)
          .values({ userId, ...values })
          .onConflictDoUpdate({ target: recoveries.userId, set: values })
        await tell(tx, userId)
        await audit.record(tx, undefined, {
          action: 'auth.recovery-started',
          target: `user:${userId}`,
        })
        return availableAt
      })
    },

    /** Returns whether one was under way. */
    async stop(tx: Db, userId: number): Promise<boolean> {
      await lock(tx, userId)
      const stopped = await tx
        .delete(recoveries)
        .where(eq(recoveries.userId, userId))
        .returning({ userId: recoveries.userId })
      if (stopped.length > 0) await tell(tx, userId)
      return stopped.length > 0
    },

    pendingOf: (userId: number) => pendingOf(db, userId),

    /** Reads an account, after its recovery was finished if it is due. */
    async withDue<T extends { id: number; recoveryAt: Date | null }>(
      read: () => Promise<T | undefined>,
    ): Promise<T | undefined> {
      const found = await read()
      if (!found?.recoveryAt || found.recoveryAt > clock.now()) return found
      await finish(found.id)
      return await read()
    },

    /** Sets the new passwords whose delay is over, also of accounts whose owners do not sign in. */
    async sweep(): Promise<void> {
      const due = await db
        .select({ userId: recoveries.userId })
        .from(recoveries)
        .where(lte(recoveries.availableAt, clock.now()))
        .orderBy(asc(recoveries.availableAt))
        .limit(AT_ONCE)
      for (const { userId } of due) await finish(userId)
    },
  }
}

async function pendingOf(tx: Db, userId: number) {
  const [row] = await tx.select().from(recoveries).where(eq(recoveries.userId, userId))
  return row
}

/** The words and what was begun with them no longer have an effect. */
export async function forgetRecovery(tx: Db, userId: number): Promise<void> {
  await tx.delete(recoveries).where(eq(recoveries.userId, userId))
  await tx.delete(recoveryKits).where(eq(recoveryKits.userId, userId))
}
