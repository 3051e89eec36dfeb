import { lte, sql } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { auditCheckpoints, auditLog } from '../db/schema/accounts.ts'
import type { Clock } from '../lib/clock.ts'
import { AUDIT_LOCK, type Audit } from './audit-log.ts'
import { lastBefore } from './verify-audit.ts'

type PruneDeps = { db: Db; clock: Clock; config: Config } & { audit: Audit }

/**
 * Deletes entries older than AUDIT_DAYS. The chain then begins at a checkpoint: the hash of the
 * last deleted entry, which an entry of the chain itself cites. The database refuses to delete
 * anything younger than a year, whatever the caller.
 */
export function pruneAudit({ db, clock, config, audit }: PruneDeps) {
  return async (): Promise<void> => {
    const before = new Date(clock.now().getTime() - config.auditDays * DAY_MS)
    await db.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(${AUDIT_LOCK})`)
      const last = await lastBefore(tx, before)
      if (!last) return
      await tx.insert(auditCheckpoints).values({
        at: clock.now(),
        lastId: last.id,
        entries: await tx.$count(auditLog, lte(auditLog.id, last.id)),
        hash: last.hash,
      })
      const dropped = await tx.delete(auditLog).where(lte(auditLog.id, last.id)).returning({
        id: auditLog.id,
      })
      await audit.record(tx, undefined, {
        action: 'audit.prune',
        details: { entries: dropped.length, hash: last.hash },
      })
    })
  }
}
