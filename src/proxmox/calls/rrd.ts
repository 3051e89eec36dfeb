import { z } from 'zod'
import { number } from '../wire/answers.ts'

/** `decade` exists for nodes since 9.0 only, so it is omitted. */
export type Timeframe = 'day' | 'hour' | 'month' | 'week' | 'year'

/**
 * One point in time; a row without data contains only `time`. Here, and only here, netin, netout,
 * diskread and diskwrite are rates per second (facts §13).
 */
export const RrdRow = z
  .object({ time: number })
  .catchall(z.unknown())
  .transform(({ time, ...rest }) => {
    const values: Record<string, number> = {}
    for (const [name, value] of Object.entries(rest)) {
      const parsed = number.safeParse(value)
      if (parsed.success) values[name] = parsed.data
    }
    return { time, values }
  })
export type RrdRow = z.output<typeof RrdRow>
