import { MINUTE_MS } from './durations.ts'

const MINUTES = [1, 5, 15, 60, 240]

/** The wait after the last of this many lapsed reservations. */
export const reservationWait = (lapses: number): number =>
  lapses <= 0 ? 0 : (MINUTES[Math.min(lapses, MINUTES.length) - 1] ?? 0) * MINUTE_MS
