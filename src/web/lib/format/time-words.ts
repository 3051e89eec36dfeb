import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'

const MARKS: readonly [limit: number, words: string][] = [
  [0, 'The time is over.'],
  [HOUR_MS, 'Less than 1 hour left.'],
  [DAY_MS, 'Less than 1 day left.'],
  [7 * DAY_MS, 'Less than 7 days left.'],
]

/**
 * What a screen reader announces about the time left. It changes only at 7 days, 1 day, 1 hour and
 * the end: a live region that contains it speaks only at those moments.
 */
export const timeAnnouncement = (leftMs: number): string =>
  MARKS.find(([limit]) => leftMs <= limit)?.[1] ?? ''

/** 0 → "Ended", 1 → "1 day left", 12 → "12 days left" */
export function daysLeftText(days: number): string {
  if (days === 0) return 'Ended'
  return days === 1 ? '1 day left' : `${days} days left`
}

/** 1 → "1 day", 30 → "30 days" */
export const daysText = (days: number): string => (days === 1 ? '1 day' : `${days} days`)

/** The fraction of the term that is left, 0 to 1. */
export const fractionLeft = (leftMs: number, durationDays: number): number =>
  Math.min(1, Math.max(0, leftMs / (Math.max(1, durationDays) * DAY_MS)))
