import { RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '#shared/errors.ts'
import type { Limiters } from './limiters.ts'

const TRIES = 10
const WINDOW_SECONDS = 3600

/**
 * Limits how many codes one account tries. Counted before the code is looked up, so that a thousand
 * concurrent tries are a thousand; a try that succeeds is given back.
 */
export function createCodeGate(limiters: Limiters) {
  const limiter = limiters.overAll('transfer', TRIES, WINDOW_SECONDS)

  return {
    async pass<T>(userId: number, work: () => Promise<T>): Promise<T> {
      if (limiters.areOff) return await work()
      const key = limiters.key(`account ${userId}`)
      await limiter.consume(key).catch((error: unknown) => {
        throw error instanceof RateLimiterRes ? tooMany(error.msBeforeNext) : error
      })
      const result = await work()
      await limiter.reward(key)
      return result
    },
  }
}

function tooMany(milliseconds: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(milliseconds / 1000))
  return new AppError(
    'TOO_MANY_REQUESTS',
    `Too many codes were tried. Try again in ${Math.ceil(retryAfter / 60)} minutes.`,
    { retryAfter },
  )
}
