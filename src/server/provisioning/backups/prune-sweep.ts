import { and, eq, gt, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { backupSchedules, backups } from '../../db/schema/snapshots.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { Deps } from '../../runtime/deps.ts'
import { holdForBackup } from './backup-state.ts'
import type { DeleteBackupJob } from './delete-backup-job.ts'
import { isIdle } from './free-server.ts'

/** After a deletion that failed, the next is begun this much later. */
const RETRY_MS = 10 * MINUTE_MS

type PruneDeps = Pick<Deps, 'db' | 'clock' | 'jobs'> & { deleteBackup: DeleteBackupJob }

/**
 * Deletes scheduled backups beyond the number kept, once a newer one is there: a backup that failed
 * never costs an older one. What was made by hand or is protected stays. A smaller number takes
 * effect with the next backup, so that a slip can be taken back. Of those made at the end of a term the
 * newest stays.
 */
export function createPruneSweep({ db, clock, jobs, deleteBackup }: PruneDeps) {
  const surplus = (tx: Db, now: Date, instanceId?: number) => {
    const isOurs = and(
      ne(backups.origin, 'hand'),
      eq(backups.state, 'ready'),
      eq(backups.isProtected, false),
    )
    const group = sql`partition by ${backups.instanceId}, ${backups.origin}`
    const ranked = tx
      .select({
        id: backups.id,
        instanceId: backups.instanceId,
        origin: backups.origin,
        triedAt: backups.triedAt,
        age: sql<number>`row_number() over (${group} order by ${backups.id} desc)`.as('age'),
        newest: sql<Date>`max(${backups.createdAt}) over (${group})`
          .mapWith(backups.createdAt)
          .as('newest'),
      })
      .from(backups)
      .where(and(isOurs, isNotNull(backups.instanceId)))
      .as('ranked')
    return tx
      .select({ id: ranked.id, instance: instances })
      .from(ranked)
      .innerJoin(instances, eq(instances.id, ranked.instanceId))
      .leftJoin(backupSchedules, eq(backupSchedules.instanceId, instances.id))
      .where(
        and(
          instanceId === undefined ? undefined : eq(instances.id, instanceId),
          or(
            and(
              eq(ranked.origin, 'schedule'),
              gt(ranked.age, backupSchedules.keep),
              gt(ranked.newest, backupSchedules.changedAt),
            ),
            and(eq(ranked.origin, 'end'), gt(ranked.age, 1)),
          ),
          isIdle(now),
          or(
            isNull(ranked.triedAt),
            lte(ranked.triedAt, new Date(now.getTime() - RETRY_MS)),
            // A clock that ran ahead leaves times in the future.
            gt(ranked.triedAt, now),
          ),
        ),
      )
      .orderBy(ranked.instanceId, sql`${ranked.age} desc`)
  }

  const begin = (instanceId: number, tokenId: number) =>
    db.transaction(async (tx) => {
      const now = clock.now()
      await tx.select().from(tokens).where(eq(tokens.id, tokenId)).for('update')
      await tx.select().from(instances).where(eq(instances.id, instanceId)).for('update')
      const [row] = await surplus(tx, now, instanceId).limit(1)
      if (!row) return
      const { id, instance } = row
      await tx.update(backups).set({ state: 'deleting', triedAt: now }).where(eq(backups.id, id))
      const server = { id: instanceId, name: instance.name, tokenId }
      const input = await holdForBackup(tx, server, id, now)
      const { ownerId } = instance
      await jobs.enqueue(tx, deleteBackup, input, ownerId === null ? {} : { ownerId })
    })

  return async (): Promise<void> => {
    const rows = await surplus(db, clock.now())
    const servers = new Map(rows.map(({ instance }) => [instance.id, instance.tokenId]))
    for (const [id, tokenId] of servers) if (tokenId !== null) await begin(id, tokenId)
  }
}
