import { hash as digest } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import type { Limiters } from '../limits/limiters.ts'
import { createKeyLimit, createNetworkLimit, type Standing } from '../limits/network-limit.ts'
import { isOnionVisit, type LimitedVisitor } from '../limits/visitor.ts'

const MINUTE = 60
/** 132 bits. */
const SENDER_LENGTH = 22
/** Called by machines, our own or a payment provider's: no visitor may use up their share. */
const MACHINES = /^\/(?:healthz|readyz|metrics|api\/webhooks\/.+)$/

export type Bucket = 'normal' | 'strict'

/**
 * Every request has a bucket, known route or not. The wide ones protect a process from a flood and
 * are counted in it, at no cost; the narrow one protects passwords and is counted over all
 * processes. All are generous, because many people may share an address: guessing is slowed by a
 * count per account (features/auth/login-throttle.ts).
 */
export function createRateLimit(limiters: Limiters) {
  const local = { seconds: MINUTE, isLocal: true } as const
  const machines = createNetworkLimit(limiters, {
    ...local,
    name: 'machine',
    points: 1200,
    onion: 1200,
  })
  const everyone = createNetworkLimit(limiters, {
    ...local,
    name: 'all',
    points: 6000,
    onion: 60_000,
  })
  const visitors = createNetworkLimit(limiters, {
    ...local,
    name: 'normal',
    points: 1200,
    onion: 12_000,
  })
  const strict = createNetworkLimit(limiters, {
    name: 'strict',
    points: 60,
    seconds: MINUTE,
    onion: 600,
  })

  const keys = createKeyLimit(limiters, { points: 300, seconds: MINUTE })

  const limit = async (
    request: FastifyRequest,
    reply: FastifyReply,
    bucket: Bucket,
  ): Promise<void> => {
    if (limiters.areOff) return
    const visitor = visitorOf(request)
    if (MACHINES.test(request.routeOptions.url ?? ''))
      return answer(reply, await machines.take(visitor))
    if (bucket === 'strict') return answer(reply, await strict.take(visitor))
    answer(reply, await everyone.take(visitor))
    answer(reply, await visitors.take(visitor, senderOf(request)))
  }

  /** Each key has an allowance of its own, over all processes, whatever address it comes from. */
  const limitKey = async (reply: FastifyReply, keyId: number): Promise<void> => {
    if (limiters.areOff) return
    answer(reply, await keys.take(keyId))
  }

  /** A successful sign-in does not count as a guess. */
  const giveBack = (request: FastifyRequest) => strict.giveBack(visitorOf(request))

  return { limit, limitKey, giveBack }
}

/**
 * A visitor with a session, or a key, is counted apart from the others at that address. The headers
 * are not verified here and can be long, so the counter, kept for a minute, stores a digest of them.
 */
function senderOf({ headers }: FastifyRequest): string {
  const { authorization, cookie } = headers
  const sent = authorization ?? cookie
  return sent === undefined ? '' : digest('sha256', sent, 'base64url').slice(0, SENDER_LENGTH)
}

export const visitorOf = (request: FastifyRequest): LimitedVisitor => ({
  address: request.ip,
  isOnion: isOnionVisit(request.headers.host, request.ip),
})

type Taken = Awaited<ReturnType<ReturnType<typeof createNetworkLimit>['take']>>

function answer(reply: FastifyReply, { refusal, standing }: Taken): void {
  if (refusal) {
    const { limit, retryAfter } = refusal
    stand(reply, { limit, remaining: 0, reset: retryAfter })
    const message = `Too many requests. Try again in ${retryAfter} seconds.`
    throw new AppError('TOO_MANY_REQUESTS', message, { retryAfter })
  }
  if (standing) stand(reply, standing)
}

/** The header fields that programs read to slow down in time. */
function stand(reply: FastifyReply, { limit, remaining, reset }: Standing): void {
  reply.header('ratelimit-limit', String(limit))
  reply.header('ratelimit-remaining', String(remaining))
  reply.header('ratelimit-reset', String(reset))
}
