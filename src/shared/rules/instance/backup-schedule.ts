import { DAY_MS, HOUR_MS } from '../time/durations.ts'

export const BACKUP_PACES = ['day', 'week'] as const
export type BackupPace = (typeof BACKUP_PACES)[number]

/** As a client counts them: a week begins on Monday. */
export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** How long a window can be. The longer, the more evenly the work of all clients is spread. */
export const WINDOW_HOURS = [2, 4, 8, 12] as const

/** When backups of a server may begin. In UTC, so that a clock change skips none. */
export type BackupWindow = {
  /** The hour it opens: 0 to 23. */
  from: number
  /** For how long. */
  hours: number
  /** For a weekly backup: on which day it opens. */
  weekday: Weekday | null
}

/** At night in Europe, early evening in America. */
export const USUAL_WINDOW: BackupWindow = { from: 0, hours: 8, weekday: null }

/** 1970 began on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS
const GOLDEN = (Math.sqrt(5) - 1) / 2

/** Where in its window a server has its turn, from 0 to 1: neighbours by number are far apart. */
export const spreadOf = (instanceId: number): number => (instanceId * GOLDEN) % 1

/** The next turn of a server after this moment. */
export function nextTurn(
  { every, window }: { every: BackupPace; window: BackupWindow },
  { instanceId, after }: { instanceId: number; after: Date },
): Date {
  const { from, hours, weekday } = window
  const period = every === 'day' ? DAY_MS : 7 * DAY_MS
  const day = every === 'day' || weekday === null ? 0 : WEEKDAYS.indexOf(weekday)
  const within = Math.floor((from + spreadOf(instanceId) * hours) * HOUR_MS)
  const offset = FIRST_MONDAY_MS + day * DAY_MS + within
  const passed = Math.floor((after.getTime() - offset) / period)
  return new Date(offset + (passed + 1) * period)
}

/** A failed backup is tried again this much later, so often; then the next turn is waited for. */
export const RETRY_MS = HOUR_MS
export const MOST_TRIES = 3

type Places = {
  /** What the package grants. */
  limit: number
  /** Made by hand, or protected: they stay until a person deletes them. */
  held: number
  hasStorage: boolean
}

/** Why a schedule cannot keep so many; undefined where it can. */
export function scheduleRefusal(
  keep: number,
  { limit, held, hasStorage }: Places,
): string | undefined {
  if (limit === 0) return 'Backups are not part of this package.'
  if (!hasStorage) return 'Backups are not set up here yet. Ask the operator.'
  if (keep > limit) return `This package has ${backupsText(limit)}. Keep at most ${limit}.`
  if (keep + held <= limit) return undefined
  const left = limit - held
  const why = `${held} of the ${backupsText(limit)} of this package are made by hand or protected.`
  return left > 0
    ? `${why} Keep at most ${left}, or delete one of them first.`
    : `${why} Delete one of them first.`
}

const backupsText = (count: number) => (count === 1 ? '1 backup' : `${count} backups`)

/** How old the last backup may be before it is said, in days. */
const SILENT_DAYS = { day: 2, week: 9, none: 12 } as const

/** For how many days a server has had no backup, where that is worth saying. */
export function daysWithoutBackup(
  { every, lastAt, since }: { every: BackupPace | null; lastAt: Date | null; since: Date },
  now: Date,
): number | null {
  const days = Math.floor((now.getTime() - (lastAt ?? since).getTime()) / DAY_MS)
  return days >= SILENT_DAYS[every ?? 'none'] ? days : null
}
