import { RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '#shared/errors.ts'
import type { Limiters } from './limiters.ts'

const FAILURES = 8
const WINDOW_SECONDS = 15 * 60

/**
 * Asks a signed-in user for their password again. Counted per account: only its own sessions can
 * use up the attempts, and signing in is not affected.
 */
export function createPasswordGate(limiters: Limiters) {
  const limiter = limiters.overAll('password', FAILURES, WINDOW_SECONDS)

  return {
    async pass(userId: number, isRight: () => Promise<boolean>): Promise<void> {
      const key = limiters.key(`account ${userId}`)
      if (!limiters.areOff) {
        const state = await limiter.get(key)
        if (state !== null && state.remainingPoints <= 0) throw tooMany(state.msBeforeNext)
      }
      if (await isRight()) return
      if (!limiters.areOff) {
        await limiter.consume(key).catch((error: unknown) => {
          if (!(error instanceof RateLimiterRes)) throw error
        })
      }
      throw new AppError('INVALID_INPUT', 'Your current password is not right.')
    },
  }
}

function tooMany(milliseconds: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(milliseconds / 1000))
  return new AppError(
    'TOO_MANY_REQUESTS',
    `Too many wrong passwords. Try again in ${Math.ceil(retryAfter / 60)} minutes.`,
    { retryAfter },
  )
}
