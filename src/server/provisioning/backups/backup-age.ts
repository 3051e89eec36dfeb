import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type BackupPace, daysWithoutBackup } from '#shared/rules/instance/backup-schedule.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { backupSchedules, backups } from '../../db/schema/snapshots.ts'

export type LastBackup = { hasAny: boolean; every: BackupPace | null; lastAt: string | null }

type BackupAge = Omit<LastBackup, 'hasAny'> & {
  /** What its package grants; null without one. */
  limit: number | null
  hasStorage: boolean
}

/** Whether a server has backups, and how old the last one is, as JSON within a query. */
export const lastBackup = (instanceId: SQLWrapper): SQL<LastBackup> => sql`(
  select json_build_object('hasAny', count(*) > 0,
    'lastAt', max(b.taken_at) filter (where b.state = 'ready'),
    'every', (select s.every from ${backupSchedules} s where s.instance_id = ${instanceId}))
  from ${backups} b where b.instance_id = ${instanceId})`

export const hasBackupStorage: SQL<boolean> = sql`
  coalesce(${clusters.settings} ->> 'backupStorage', '') <> ''`

/** Null where it is young enough, or no backup can be made. */
export function withoutBackup(age: BackupAge, since: Date, now: Date): number | null {
  const { limit, hasStorage, every, lastAt } = age
  if ((limit ?? 0) === 0 || !hasStorage) return null
  return daysWithoutBackup({ every, lastAt: lastAt === null ? null : new Date(lastAt), since }, now)
}
