import { and, asc, eq, gte, isNull, lt, lte, notExists, or, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { MOST_TRIES, RETRY_MS } from '#shared/rules/instance/backup-schedule.ts'
import type { Db } from '../../db/database.ts'
import { serverEnds } from '../../db/schema/service-time.ts'
import { backups } from '../../db/schema/snapshots.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { planOf } from '../../orders/package-of-server.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { BackupJob } from './backup-job.ts'
import { reserveBackup } from './backup-rows.ts'
import { holdForBackup } from './backup-state.ts'
import { isIdle, isNodeFree, lockNode } from './free-server.ts'

type LastBackupDeps = Pick<Deps, 'db' | 'clock' | 'jobs' | 'random' | 'log'> & {
  lastBackup: BackupJob
}

/**
 * Backs a server up once more after its time has ended, where its package says so: whatever happens
 * to its disk during the grace, a client who comes back has it. It goes with the server.
 */
export function createLastBackupSweep(deps: LastBackupDeps) {
  const { db, clock, jobs, random, log, lastBackup } = deps

  const ended = (tx: Db, now: Date) => {
    const plan = planOf(tx)
    const made = tx
      .select({ id: backups.id })
      .from(backups)
      .where(
        and(
          eq(backups.instanceId, instances.id),
          eq(backups.origin, 'end'),
          gte(backups.createdAt, serverEnds.recordedAt),
        ),
      )
    return tx
      .select({ instance: instances, token: tokens })
      .from(serverEnds)
      .innerJoin(tokens, eq(tokens.id, serverEnds.tokenId))
      .innerJoin(instances, eq(instances.id, tokens.assignedInstanceId))
      .innerJoinLateral(plan, sql`true`)
      .where(
        and(
          eq(plan.lastBackup, true),
          or(eq(tokens.status, 'expired'), eq(tokens.status, 'cancelled')),
          isNull(serverEnds.orderedMs),
          lt(serverEnds.backupTries, MOST_TRIES),
          or(
            isNull(serverEnds.backupTriedAt),
            lte(serverEnds.backupTriedAt, new Date(now.getTime() - RETRY_MS)),
          ),
          // Its disks no longer change.
          eq(instances.status, 'stopped'),
          isIdle(now),
          isNodeFree,
          notExists(made),
        ),
      )
      .orderBy(asc(serverEnds.recordedAt))
  }

  const begin = (given: {
    instance: { id: number; clusterId: number; nodeId: number | null }
    token: { id: number }
  }) =>
    db.transaction(async (tx) => {
      const now = clock.now()
      await lockNode(tx, given.instance)
      await tx.select().from(tokens).where(eq(tokens.id, given.token.id)).for('update')
      await tx.select().from(instances).where(eq(instances.id, given.instance.id)).for('update')
      const row = (await ended(tx, now)).find(({ token }) => token.id === given.token.id)
      if (!row) return
      const { instance, token } = row
      await tx
        .update(serverEnds)
        .set({ backupTries: sql`${serverEnds.backupTries} + 1`, backupTriedAt: now })
        .where(eq(serverEnds.tokenId, token.id))
      try {
        const backup = await reserveBackup(tx, { instance, token, origin: 'end', now }, random)
        const server = { id: instance.id, name: instance.name, tokenId: token.id }
        const input = await holdForBackup(tx, server, backup.id, now)
        const { ownerId } = instance
        await jobs.enqueue(tx, lastBackup, input, ownerId === null ? {} : { ownerId })
      } catch (error) {
        // Refused before anything was written: the cluster has no storage for backups.
        if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error
        log.warn({ err: error, vmId: instance.vmId }, 'a server ended without a last backup')
      }
    })

  return async (): Promise<void> => {
    for (const row of await ended(db, clock.now())) await begin(row)
  }
}
