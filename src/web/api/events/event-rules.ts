import { MINUTE_MS } from '#shared/rules/time/durations.ts'

const FIRST_RETRY_MS = 3_000
const LAST_RETRY_MS = MINUTE_MS
/** Well above the number of events that the server repeats when a stream resumes. */
const REMEMBERED = 1000

/** Doubles, up to a minute. */
export const retryAfter = (failures: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 10), LAST_RETRY_MS)

/**
 * Tells a new event from a repeated one. A smaller id does not mean an older event: ids are
 * assigned before the commit, so one may arrive after a larger one (decision 005).
 */
export function newsFilter(): (id: string) => boolean {
  const heard = new Set<string>()
  return (id) => {
    if (id === '') return true
    if (heard.has(id)) return false
    heard.add(id)
    const [oldest] = heard
    if (heard.size > REMEMBERED && oldest !== undefined) heard.delete(oldest)
    return true
  }
}
