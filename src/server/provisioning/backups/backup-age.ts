import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type BackupPace, daysWithoutBackup } from '#shared/rules/instance/backup-schedule.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { backupSchedules, backups } from '../../db/schema/snapshots.ts'
import { oSaysPackage } from '../../orders/package-of-server.ts'

export type BackupAge = {
  /** What its package grants; null without one. */
  limit: number | null
  hasStorage: boolean
  every: BackupPace | null
  lastAt: string | null
}

/** How old the last backup of a server is, as JSON within a query that has its cluster, too. */
export const backupAge = (instanceId: SQLWrapper, tokenId: SQLWrapper): SQL<BackupAge> => sql`
  json_build_object(
    'limit', (select p.backup_limit from ${orders} o join ${packages} p on p.id = o.plan_id
      where o.token_id = ${tokenId} and ${oSaysPackage} order by o.id desc limit 1),
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
