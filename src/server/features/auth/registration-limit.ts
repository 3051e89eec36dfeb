import { RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '#shared/errors.ts'
import type { Limiters } from '../../limits/limiters.ts'
import { createNetworkLimit } from '../../limits/network-limit.ts'
import type { LimitedVisitor } from '../../limits/visitor.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const FROM_ONE_NETWORK = 20
const FROM_ONION = 100

/**
 * Limits how many accounts are made: from one network, over the onion address, and overall. A
 * number of 7 digits is never reused, so the last limit decides how long nine million last: at 1500
 * a day sixteen years.
 */
export function createRegistrationLimit(limiters: Limiters, perDay: number) {
  const network = createNetworkLimit(limiters, {
    name: 'register',
    points: FROM_ONE_NETWORK,
    seconds: HOUR,
    onion: FROM_ONION,
  })
  const overall = [
    limiters.overAll('register-hour', Math.ceil(perDay / 5), HOUR),
    limiters.overAll('register-day', perDay, DAY),
  ]
  const told = limiters.overAll('register-told', 1, HOUR)
  const key = limiters.key('everybody')

  return {
    /** `onFull` is called once an hour while registration is closed. */
    async enter(visitor: LimitedVisitor, onFull: () => Promise<void>): Promise<void> {
      if (limiters.areOff) return
      const { refusal } = await network.take(visitor)
      if (refusal) {
        throw later('Too many accounts were made from your network.', refusal.retryAfter)
      }
      for (const limiter of overall) {
        const over = await overIn(() => limiter.consume(key))
        if (!over) continue
        if (!(await overIn(() => told.consume(key)))) await onFull()
        throw later('Too many accounts were made just now.', Math.ceil(over.msBeforeNext / 1000))
      }
    },
  }
}

async function overIn(consume: () => Promise<unknown>): Promise<RateLimiterRes | undefined> {
  try {
    await consume()
    return undefined
  } catch (error) {
    if (error instanceof RateLimiterRes) return error
    throw error
  }
}

function later(sentence: string, retryAfter: number): AppError {
  const minutes = Math.max(1, Math.ceil(retryAfter / 60))
  return new AppError('TOO_MANY_REQUESTS', `${sentence} Try again in ${minutes} minutes.`, {
    retryAfter: Math.max(1, retryAfter),
  })
}
