import type { BackupPace } from './backup-schedule.ts'

/** A schedule, how many of its backups there are, and how large one is. */
export type Growing = { every: BackupPace; keep: number; made: number; sizeBytes: number }

/** The forecast ends here. */
const MOST_DAYS = 366

/**
 * What schedules still add until each keeps its number, and in how many days that fills the storage;
 * null if it does not.
 */
export function forecast(schedules: readonly Growing[], freeBytes: number) {
  const missing = ({ keep, made }: Growing) => Math.max(0, keep - made)
  const comingBytes = schedules.reduce((sum, one) => sum + missing(one) * one.sizeBytes, 0)
  // While a new one is made, the one it replaces is still there.
  const largest = Math.max(0, ...schedules.map(({ sizeBytes }) => sizeBytes))
  if (comingBytes + largest <= freeBytes) return { comingBytes, fullInDays: null }
  for (let days = 0; days <= MOST_DAYS; days += 1) {
    const added = schedules.reduce((sum, one) => {
      const made = Math.floor(days / (one.every === 'day' ? 1 : 7))
      return sum + Math.min(made, missing(one)) * one.sizeBytes
    }, 0)
    if (added + largest > freeBytes) return { comingBytes, fullInDays: days }
  }
  return { comingBytes, fullInDays: null }
}
