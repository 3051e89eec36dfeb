import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '#shared/errors.ts'
import { addressKey } from '../accounts/address-key.ts'

const WINDOW_SECONDS = 60
/** Calls a minute from one address. */
const BUDGET = { normal: 1200, strict: 20 }

export type Bucket = keyof typeof BUDGET

/** Every request has a bucket, known route or not. Scale 0 turns the limits off. */
export function createRateLimit(scale: number) {
  if (scale === 0) return async () => {}
  const limiters = {
    normal: limiter('normal', scale),
    strict: limiter('strict', scale),
  }
  return async (request: FastifyRequest, reply: FastifyReply, bucket: Bucket): Promise<void> => {
    try {
      const left = await limiters[bucket].consume(addressKey(request.ip))
      reply.header('ratelimit-limit', String(limiters[bucket].points))
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

const limiter = (bucket: Bucket, scale: number) =>
  new RateLimiterMemory({
    keyPrefix: bucket,
    points: Math.max(1, Math.round(BUDGET[bucket] * scale)),
    duration: WINDOW_SECONDS,
  })

const seconds = (result: RateLimiterRes) => Math.max(1, Math.ceil(result.msBeforeNext / 1000))
