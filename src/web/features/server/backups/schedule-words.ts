import type { BackupSchedule } from '#shared/api/servers/backups.ts'
import { WEEKDAYS, type Weekday } from '#shared/rules/instance/backup-schedule.ts'

const two = (hour: number) => String(hour % 24).padStart(2, '0')

/** 22, 4 → "22:00 to 02:00 UTC" */
export const windowText = (from: number, hours: number): string =>
  `${two(from)}:00 to ${two(from + hours)}:00 UTC`

const DAY_MINUTES = 24 * 60

/**
 * The hour here, for a reader who does not count in UTC: "23:00 where you are". With the weekday in
 * UTC also which day it is here: "Saturday, 19:00 where you are".
 */
export function localHour(from: number, offsetMinutes: number, weekday?: Weekday): string {
  const inAll = from * 60 - offsetMinutes
  const daysOn = Math.floor(inAll / DAY_MINUTES)
  const minutes = inAll - daysOn * DAY_MINUTES
  const hour = `${two(Math.floor(minutes / 60))}:${String(minutes % 60).padStart(2, '0')}`
  const day = weekday && WEEKDAYS.at((WEEKDAYS.indexOf(weekday) + daysOn) % WEEKDAYS.length)
  return `${day ? `${day}, ` : ''}${hour} where you are`
}

const kept = (keep: number) =>
  keep === 1
    ? 'The newest one is kept.'
    : `The newest ${keep} are kept; an older one is deleted once a newer one is made.`

type Schedule = Pick<BackupSchedule, 'every' | 'window' | 'keep'>

/** What the schedule does, in a sentence. */
export function scheduleText({ every, window: { from, hours, weekday }, keep }: Schedule): string {
  if (every === 'none') return 'No automatic backups are made.'
  const when = every === 'day' ? 'Every day' : `Every ${weekday ?? 'week'}`
  return `${when}, starting between ${windowText(from, hours).replace(' to ', ' and ')}. ${kept(keep)}`
}
