import type { Clock } from '../transport/clock.ts'

/** A clock that stands still until told otherwise; sleeping advances it at once. */
export function manualClock(start = 1_700_000_000_000) {
  let now = start
  const slept: number[] = []
  const clock: Clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      slept.push(ms)
      now += ms
      await new Promise((resolve) => setImmediate(resolve))
      signal?.throwIfAborted()
    },
  }
  return {
    ...clock,
    slept,
    advance: (ms: number) => {
      now += ms
    },
  }
}
