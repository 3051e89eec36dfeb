import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { steadyClock } from '../../runtime/steady-clock.ts'

const START = new Date('2026-11-15T12:00:00Z')
/** How far clocks jump in tests, in both directions. */
export const JUMPS = [MINUTE_MS, 12 * HOUR_MS, 45 * DAY_MS].flatMap((ms) => [ms, -ms])

/** A machine whose wall clock can be set while its monotonic clock runs on. */
export function machineClock() {
  let elapsed = 0
  let offset = START.getTime()
  const wall = () => new Date(offset + elapsed)
  return {
    wall,
    pass: (ms: number) => {
      elapsed += ms
    },
    jump: (ms: number) => {
      offset += ms
    },
    /** The clock of a process that starts now. */
    boot: () => steadyClock(wall(), { elapsed: () => elapsed }),
  }
}
