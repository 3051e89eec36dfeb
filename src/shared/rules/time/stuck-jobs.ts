import { MINUTE_MS } from './durations.ts'

/** A sale takes a minute or two; a job that takes longer than this is waiting for something. */
export const STUCK_MINUTES = 10

/** A job that started before this moment and is not done is stuck. */
export const stuckBefore = (now: Date): Date => new Date(now.getTime() - STUCK_MINUTES * MINUTE_MS)
