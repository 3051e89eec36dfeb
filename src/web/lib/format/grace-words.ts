import { graceDays } from '../browser/page-facts.ts'
import { daysText } from './time-words.ts'

const NO_GRACE = graceDays === 0

/** "is kept for 7 days and then deleted", or that nothing is kept. */
export const keptThenDeleted = NO_GRACE
  ? 'is deleted at once'
  : `is kept for ${daysText(graceDays)} and then deleted`

/** "after 7 days", or "at once". */
export const afterGrace = NO_GRACE ? 'at once' : `after ${daysText(graceDays)}`
