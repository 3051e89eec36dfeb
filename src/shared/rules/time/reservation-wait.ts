import { MINUTE_MS } from './durations.ts'

const MINUTES = [1, 5, 15, 60, 240]

/** How long after the last of so many lapsed reservations the next one has to wait. */
export const reservationWait = (lapses: number): number =>
  lapses <= 0 ? 0 : (MINUTES[Math.min(lapses, MINUTES.length) - 1] ?? 0) * MINUTE_MS
