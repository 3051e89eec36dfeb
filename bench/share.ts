import { median } from './figure.ts'

export const SECONDS = 2
const AT_ONCE = 16
const ROUNDS = 5

/** Calls per second, by several callers at once by default, bounded in time. */
export async function perSecond(act: () => Promise<void>, atOnce = AT_ONCE): Promise<number> {
  let done = 0
  const end = performance.now() + SECONDS * 1000
  const actor = async () => {
    while (performance.now() < end) {
      await act()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, actor))
  return done / SECONDS
}

type Rate = () => Promise<number>

/**
 * Two rates measured in turns, after each has warmed up: a slow minute of the machine affects both.
 */
export async function shareOf(ours: Rate, limit: Rate): Promise<{ share: number; limit: number }> {
  await ours()
  await limit()
  const rates = { ours: [] as number[], limit: [] as number[] }
  for (let n = 0; n < ROUNDS; n += 1) {
    rates.ours.push(await ours())
    rates.limit.push(await limit())
  }
  return {
    share: median(rates.ours) / median(rates.limit),
    limit: Math.round(median(rates.limit)),
  }
}
