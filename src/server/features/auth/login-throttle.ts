import { RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '#shared/errors.ts'
import { addressKey } from '../../accounts/address-key.ts'
import type { Limiters } from '../../limits/limiters.ts'

const FAILURES = 8
const WINDOW_SECONDS = 15 * 60

/**
 * Slows one address that guesses at one account. Nothing here is counted per account alone:
 * nobody can lock another person out.
 */
export function createLoginThrottle(limiters: Limiters) {
  const limiter = limiters.overAll('login', FAILURES, WINDOW_SECONDS)
  const key = (address: string, username: string) =>
    limiters.key(`${addressKey(address)} ${username.toLowerCase()}`)

  return {
    async check(address: string, username: string): Promise<void> {
      if (limiters.areOff) return
      const state = await limiter.get(key(address, username))
      if (state !== null && state.remainingPoints <= 0) throw tooMany(state.msBeforeNext)
    },
    async failed(address: string, username: string): Promise<void> {
      if (limiters.areOff) return
      try {
        await limiter.consume(key(address, username))
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
      }
    },
  }
}

function tooMany(milliseconds: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(milliseconds / 1000))
  const minutes = Math.ceil(retryAfter / 60)
  return new AppError(
    'TOO_MANY_REQUESTS',
    `Too many failed attempts from your network. Try again in ${minutes} minutes.`,
    { retryAfter },
  )
}
