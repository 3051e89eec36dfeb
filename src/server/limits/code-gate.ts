import { RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '#shared/errors.ts'
import type { Limiters } from './limiters.ts'

type CodeGate = {
  /** Each kind of code is counted by itself. */
  name: string
  tries?: number
  seconds?: number
  sentence?: (minutes: number) => string
}

const TOO_MANY = (minutes: number) => `Too many codes were tried. Try again in ${minutes} minutes.`

/**
 * Limits how many codes one account tries. Counted before the code is looked up, so that a thousand
 * concurrent tries are a thousand; a try that succeeds is given back.
 */
export function createCodeGate(
  limiters: Limiters,
  { name, tries = 10, seconds = 3600, sentence = TOO_MANY }: CodeGate,
) {
  const limiter = limiters.overAll(name, tries, seconds)

  return {
    async pass<T>(userId: number, work: () => Promise<T>): Promise<T> {
      if (limiters.areOff) return await work()
      const key = limiters.key(`account ${userId}`)
      await limiter.consume(key).catch((error: unknown) => {
        throw error instanceof RateLimiterRes ? tooMany(error.msBeforeNext, sentence) : error
      })
      const result = await work()
      await limiter.reward(key)
      return result
    },
  }
}

function tooMany(milliseconds: number, sentence: typeof TOO_MANY): AppError {
  const retryAfter = Math.max(1, Math.ceil(milliseconds / 1000))
  return new AppError('TOO_MANY_REQUESTS', sentence(Math.ceil(retryAfter / 60)), { retryAfter })
}
