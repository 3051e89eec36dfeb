import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '#shared/errors.ts'
import { addressKey } from '../accounts/address-key.ts'
import type { Limiters } from '../limits/limiters.ts'

const WINDOW_SECONDS = 60
/** Calls a minute from one address. */
const BUDGET = { normal: 1200, strict: 20 }

export type Bucket = keyof typeof BUDGET

/**
 * Every request has a bucket, known route or not. The wide one shields a process from a flood and
 * is counted there, at no cost; the narrow one guards passwords and is counted over all processes.
 */
export function createRateLimit(limiters: Limiters) {
  if (limiters.areOff) return async () => {}
  const buckets = {
    normal: limiters.here('normal', BUDGET.normal, WINDOW_SECONDS),
    strict: limiters.overAll('strict', BUDGET.strict, WINDOW_SECONDS),
  }
  return async (request: FastifyRequest, reply: FastifyReply, bucket: Bucket): Promise<void> => {
    try {
      const address = addressKey(request.ip)
      const key = bucket === 'strict' ? limiters.key(address) : address
      const left = await buckets[bucket].consume(key)
      reply.header('ratelimit-limit', String(buckets[bucket].points))
      reply.header('ratelimit-remaining', String(left.remainingPoints))
      reply.header('ratelimit-reset', String(seconds(left)))
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const wait = seconds(error)
      throw new AppError('TOO_MANY_REQUESTS', `Too many requests. Try again in ${wait} seconds.`, {
        retryAfter: wait,
      })
    }
  }
}

const seconds = (result: RateLimiterRes) => Math.max(1, Math.ceil(result.msBeforeNext / 1000))
