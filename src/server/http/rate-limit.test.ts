import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { expect, test } from 'vitest'
import type { Limiters } from '../limits/limiters.ts'
import { createRateLimit } from './rate-limit.ts'

test('what a visitor sends is counted by a short digest of it, each session and key by itself', async () => {
  const counted: string[] = []
  const here: Limiters['here'] = (keyPrefix, points, duration) => {
    const limiter = new RateLimiterMemory({ keyPrefix, points, duration })
    const consume = limiter.consume.bind(limiter)
    limiter.consume = async (key, ...rest) => {
      if (keyPrefix === 'normal') counted.push(String(key))
      return await consume(key, ...rest)
    }
    return limiter
  }
  const { limit } = createRateLimit({
    areOff: false,
    key: (text) => text,
    here,
    overAll: here,
    prune: async () => {},
  })
  const ask = (headers: Record<string, string>) =>
    limit(
      { headers, ip: '192.0.2.1', routeOptions: {} } as FastifyRequest,
      { header: () => undefined } as unknown as FastifyReply,
      'normal',
    )
  const long = 'x'.repeat(16_000)
  await ask({})
  await ask({ cookie: long })
  await ask({ cookie: `${long}y` })
  await ask({ cookie: long, authorization: 'Bearer key' })
  await ask({ cookie: long })
  expect(counted.filter((key) => key.length > 60)).toEqual([])
  expect(counted.at(-1)).toBe(counted[1])
  expect(new Set(counted).size).toBe(4)
})
