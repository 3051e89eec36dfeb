import { and, desc, eq, gte, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Db } from '../db/database.ts'
import { failedLogins } from '../db/schema/accounts.ts'
import type { Clock } from '../lib/clock.ts'

const KEPT_DAYS = 30

type FailedLoginDeps = { db: Db; clock: Clock }

const hourOf = (at: Date) => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS)

/**
 * Failed sign-ins are counted, not listed: any visitor can cause any number of them, and could fill
 * a log that grows with each. One row for each account and hour, one for all other names.
 */
export function createFailedLogins({ db, clock }: FailedLoginDeps) {
  return {
    async count(userId: number | undefined): Promise<void> {
      const own = userId !== undefined
      const now = clock.now()
      await db
        .insert(failedLogins)
        .values({ hour: hourOf(now), userId: userId ?? null, lastAt: now })
        .onConflictDoUpdate({
          target: own ? [failedLogins.hour, failedLogins.userId] : failedLogins.hour,
          targetWhere: own ? isNotNull(failedLogins.userId) : isNull(failedLogins.userId),
          set: { count: sql`${failedLogins.count} + 1`, lastAt: now },
        })
    },

    of: (userId: number) =>
      db
        .select()
        .from(failedLogins)
        .where(eq(failedLogins.userId, userId))
        .orderBy(desc(failedLogins.hour)),

    /** Adds one entry for the past hour, so that operators notice a wave. Run once an hour. */
    async report(audit: Audit): Promise<void> {
      const end = hourOf(clock.now())
      const start = new Date(end.getTime() - HOUR_MS)
      await db.transaction(async (tx) => {
        const { attempts, accounts } = await totalOf(tx, start, end)
        if (attempts === 0) return
        const details = { attempts, accounts, hour: start.toISOString() }
        await audit.record(tx, undefined, { action: 'auth.logins-failed', details })
      })
    },

    async prune(): Promise<void> {
      const before = new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS)
      await db.delete(failedLogins).where(lt(failedLogins.hour, before))
    },
  }
}

async function totalOf(tx: Db, start: Date, end: Date) {
  const [row] = await tx
    .select({
      attempts: sql<number>`coalesce(sum(${failedLogins.count}), 0)::int`,
      accounts: sql<number>`count(${failedLogins.userId})::int`,
    })
    .from(failedLogins)
    .where(and(gte(failedLogins.hour, start), lt(failedLogins.hour, end)))
  return row ?? { attempts: 0, accounts: 0 }
}

export type FailedLogins = ReturnType<typeof createFailedLogins>
