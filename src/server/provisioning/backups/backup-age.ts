import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type BackupPace, daysWithoutBackup } from '#shared/rules/instance/backup-schedule.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { backupSchedules, backups } from '../../db/schema/snapshots.ts'

export type BackupAge = {
  /** What its package grants; null without one. */
  limit: number | null
  hasStorage: boolean
  every: BackupPace | null
  lastAt: string | null
}

/** How old the last backup of a server is, as JSON within a query that has its cluster and its plan. */
export const backupAge = (instanceId: SQLWrapper, limit: SQLWrapper): SQL<BackupAge> => sql`
  json_build_object(
    'limit', ${limit},
    'hasStorage', coalesce(${clusters.settings} ->> 'backupStorage', '') <> '',
    'every', (select s.every from ${backupSchedules} s where s.instance_id = ${instanceId}),
    'lastAt', (select max(b.taken_at) from ${backups} b
      where b.instance_id = ${instanceId} and b.state = 'ready'))`

/** Null where it is young enough, or no backup can be made. */
export function withoutBackup(age: BackupAge, since: Date, now: Date): number | null {
  const { limit, hasStorage, every, lastAt } = age
  if ((limit ?? 0) === 0 || !hasStorage) return null
  return daysWithoutBackup({ every, lastAt: lastAt === null ? null : new Date(lastAt), since }, now)
}
