import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { serviceTime } from '../../../db/schema/service-time.ts'
import { heldRemovals } from '../../../provisioning/lifecycle/held-removals.ts'
import { found, plural, type Watch } from './watch.ts'

const PATH = '/admin-dashboard'

const lengthOf = (ms: number): string => {
  const long = Math.abs(ms)
  if (long >= 2 * DAY_MS) return `${Math.round(long / DAY_MS)} days`
  if (long >= 2 * HOUR_MS) return `${Math.round(long / HOUR_MS)} hours`
  return `${Math.max(2, Math.round(long / MINUTE_MS))} minutes`
}

/** The clock jumped under a running server, or an unexplained amount of time is missing. */
export const timeInDoubt: Watch = async ({ db, clock }) => {
  const jumpMs = clock.jumpMs?.() ?? 0
  const [row] = await db.select({ gapMs: serviceTime.gapMs }).from(serviceTime)
  const gapMs = row?.gapMs ?? 0
  const message = jumpMs !== 0 ? jumpWords(jumpMs) : gapWords(gapMs)
  const list = jumpMs === 0 && gapMs === 0 ? [] : [jumpMs]
  return found({ kind: 'time-in-doubt', tone: 'bad', message, path: PATH }, list)
}

const jumpWords = (ms: number) =>
  `The clock jumped ${ms > 0 ? 'forward' : 'back'} by ${lengthOf(ms)}. Hushbox goes on with the old time.`

const gapWords = (ms: number) =>
  ms > 0
    ? `Hushbox was off for ${lengthOf(ms)}, or the clock is wrong. No server is deleted for now.`
    : `The clock is ${lengthOf(ms)} behind the last run. No server is deleted for now.`

/** So many at once that an operator should look before they are removed. */
export const removalsHeld: Watch = async (deps) => {
  const list = await heldRemovals(deps.db, deps)
  const message = `${plural(list.length, 'server waits', 'servers wait')} for you to confirm deletion`
  return found({ kind: 'removals-held', tone: 'bad', message, path: PATH }, list)
}
