import { useSyncExternalStore } from 'react'
import { daysBegun } from '#shared/rules/time/durations.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const STEPS: readonly [limit: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [HOUR, 'minute', MINUTE],
  [DAY, 'hour', HOUR],
  [30 * DAY, 'day', DAY],
  [365 * DAY, 'month', 30 * DAY],
  [Number.POSITIVE_INFINITY, 'year', 365 * DAY],
]

const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })
const exact = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'long' })
const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })

/** "3 minutes ago", "in 2 days", "just now" */
export function relativeTime(at: Date, now: number): string {
  const seconds = (at.getTime() - now) / 1000
  const size = Math.abs(seconds)
  if (size < 45) return 'just now'
  const step = STEPS.find(([limit]) => size < limit - limit / 100) ?? STEPS[STEPS.length - 1]
  const [, unit, length] = step ?? [0, 'year', 365 * DAY]
  // Future times are counted as the countdowns' badges count them.
  if (seconds > 0 && unit === 'day') return relative.format(daysBegun(seconds * 1000), unit)
  return relative.format(Math.trunc(Math.max(1, size / length)) * Math.sign(seconds), unit)
}

export const exactTime = (at: Date): string => exact.format(at)
export const calendarDay = (at: Date): string => day.format(at)

export type TimeLeft = { days: number; hours: number; minutes: number; seconds: number }

/** The time until a moment; all zero once it has passed. */
export function timeLeft(until: number, now: number): TimeLeft {
  const left = Math.max(0, Math.floor((until - now) / 1000))
  return {
    days: Math.floor(left / DAY),
    hours: Math.floor((left % DAY) / HOUR),
    minutes: Math.floor((left % HOUR) / MINUTE),
    seconds: left % MINUTE,
  }
}

/** The current time, updated at this interval. */
export function useNow(everyMs: number): number {
  const subscribe = (listener: () => void) => {
    const timer = setInterval(listener, everyMs)
    return () => clearInterval(timer)
  }
  // Rounded to the interval: between two ticks every reader sees the same moment.
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / everyMs) * everyMs)
}
