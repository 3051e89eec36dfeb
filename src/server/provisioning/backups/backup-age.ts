import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type BackupPace, daysWithoutBackup } from '#shared/rules/instance/backup-schedule.ts'
import type { BACKUP_STATES } from '#shared/rules/instance/backups.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { backupSchedules, backups } from '../../db/schema/snapshots.ts'

export type Backed = {
  every: BackupPace | null
  made: { state: (typeof BACKUP_STATES)[number]; takenAt: string | null }[]
}

type BackupAge = Backed & {
  /** What its package grants; null without one. */
  limit: number | null
  hasStorage: boolean
}

/** The backups of a server and how often one is made, as JSON within a query. */
export const backed = (instanceId: SQLWrapper): SQL<Backed> => sql`json_build_object(
  'every', (select s.every from ${backupSchedules} s where s.instance_id = ${instanceId}),
  'made', array(select json_build_object('state', b.state, 'takenAt', b.taken_at)
    from ${backups} b where b.instance_id = ${instanceId}))`

export const hasBackupStorage: SQL<boolean> = sql`
  coalesce(${clusters.settings} ->> 'backupStorage', '') <> ''`

/** Null where it is young enough, or no backup can be made. */
export function withoutBackup(age: BackupAge, since: Date, now: Date): number | null {
  const { limit, hasStorage, every, made } = age
  if ((limit ?? 0) === 0 || !hasStorage) return null
  const times = made
    .filter(({ state }) => state === 'ready')
    .map(({ takenAt }) => Date.parse(takenAt ?? ''))
  const lastAt = times.length === 0 ? null : new Date(Math.max(...times))
  return daysWithoutBackup({ every, lastAt, since }, now)
}
