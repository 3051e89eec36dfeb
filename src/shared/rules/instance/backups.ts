/** Off until an operator grants some by a package; servers without a package have none. */
export const BACKUP_LIMIT = 0
/** The most that an operator can grant. */
export const MOST_BACKUPS = 30

/** Who wished for one: a person, the schedule, or the end of the server's time. */
export const BACKUP_ORIGINS = ['hand', 'schedule', 'end'] as const
export type BackupOrigin = (typeof BACKUP_ORIGINS)[number]

export const BACKUP_STATES = ['creating', 'ready', 'deleting'] as const

type Made = { origin: BackupOrigin; isProtected: boolean }

/** Those that stay until a person deletes them: no schedule replaces them. */
export const isHeldBackup = ({ origin, isProtected }: Made): boolean =>
  origin === 'hand' || (origin === 'schedule' && isProtected)

/**
 * How many places of the package are taken. A schedule has its places from the start, so that its
 * next backup never finds them taken; the one at the end of a term takes none.
 */
export function takenPlaces(made: readonly Made[], keep: number): number {
  const held = made.filter(isHeldBackup).length
  const scheduled = made.filter((one) => one.origin === 'schedule' && !one.isProtected).length
  return held + Math.max(keep, scheduled)
}

const UNDER_WAY =
  'A backup of this server is being made, or waits for its turn. While it waits you can use the server as always.'

type BackupPlaces = {
  limit: number
  hasStorage: boolean
  /** Places of the schedule. */
  keep?: number
  /** One was asked for and is not there yet. */
  isUnderWay?: boolean
}

/** Why no more can be made by hand; undefined where one can. */
export function backupRefusal(
  made: number,
  { limit, hasStorage, keep = 0, isUnderWay = false }: BackupPlaces,
): string | undefined {
  if (limit === 0) return 'Backups are not part of this package.'
  if (!hasStorage) return 'Backups are not set up here yet. Ask the operator.'
  if (isUnderWay) return UNDER_WAY
  if (made < limit) return undefined
  if (keep > 0) {
    return `All ${limit} backups of this package are made or kept for the schedule. Delete one, or let the schedule keep fewer.`
  }
  if (limit === 1) return 'The one backup of this server is made. Delete it first.'
  return `All ${limit} backups of this server are made. Delete one first.`
}
