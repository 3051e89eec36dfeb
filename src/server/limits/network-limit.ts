import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { countedNetworks } from './address-key.ts'
import type { Limiters } from './limiters.ts'
import type { LimitedVisitor } from './visitor.ts'

type Options = {
  name: string
  points: number
  seconds: number
  /** For all visitors of the onion address together; undefined if they are not counted here. */
  onion: number | undefined
  /** Counted by this process alone, at no cost. */
  isLocal?: boolean
}

type Refusal = { limit: number; retryAfter: number }
export type Standing = { limit: number; remaining: number; reset: number }

type Taken = { refusal?: Refusal; standing?: Standing }

type Counter = { limiter: RateLimiterAbstract; key: string }

/**
 * A limit for each network of a visitor (`countedNetworks`), and for one subject in each if given.
 */
export function createNetworkLimit(limiters: Limiters, options: Options) {
  const { name, points, seconds, onion, isLocal = false } = options
  const make = (suffix: string, many: number) =>
    (isLocal ? limiters.here : limiters.overAll)(`${name}${suffix}`, many, seconds)
  const byShare = new Map<number, RateLimiterAbstract>()
  const limiterFor = (share: number) => {
    const known = byShare.get(share) ?? make(share === 1 ? '' : `-${share}`, points * share)
    byShare.set(share, known)
    return known
  }
  const onionLimiter = onion === undefined ? undefined : make('-onion', onion)
  const keyOf = (text: string) => (isLocal ? text : limiters.key(text))

  const counters = ({ address, isOnion }: LimitedVisitor, what: string): Counter[] => {
    if (isOnion) return onionLimiter ? [{ limiter: onionLimiter, key: keyOf(`onion ${what}`) }] : []
    return countedNetworks(address).map(({ key, share }) => ({
      limiter: limiterFor(share),
      key: keyOf(`${key} ${what}`),
    }))
  }

  return {
    /** Counts one; returns when to retry if any network has used up its allowance. */
    async take(visitor: LimitedVisitor, what = ''): Promise<Taken> {
      if (limiters.areOff) return {}
      let standing: Standing | undefined
      for (const { limiter, key } of counters(visitor, what)) {
        const taken = await takeOne(limiter, key)
        if (taken.refusal) return taken
        standing ??= taken.standing
      }
      return standing ? { standing } : {}
    },

    /** Takes a count back after a successful attempt. */
    async giveBack(visitor: LimitedVisitor, what = ''): Promise<void> {
      if (limiters.areOff) return
      for (const { limiter, key } of counters(visitor, what)) await limiter.reward(key, 1)
    },
  }
}

/** The same for an API key, whatever network it is used from. */
export function createKeyLimit(
  limiters: Limiters,
  { points, seconds }: { points: number; seconds: number },
) {
  const limiter = limiters.overAll('api-key', points, seconds)
  return { take: (keyId: number) => takeOne(limiter, String(keyId)) }
}

async function takeOne(limiter: RateLimiterAbstract, key: string): Promise<Taken> {
  const result = await consume(limiter, key)
  const [limit, seconds] = [limiter.points, secondsOf(result)]
  if (result.remainingPoints < 0) return { refusal: { limit, retryAfter: seconds } }
  return { standing: { limit, remaining: result.remainingPoints, reset: seconds } }
}

/** Negative if over the limit. */
async function consume(limiter: RateLimiterAbstract, key: string) {
  try {
    const { remainingPoints, msBeforeNext } = await limiter.consume(key)
    return { remainingPoints, msBeforeNext }
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error
    return { remainingPoints: -1, msBeforeNext: error.msBeforeNext }
  }
}

const secondsOf = ({ msBeforeNext }: { msBeforeNext: number }) =>
  Math.max(1, Math.ceil(msBeforeNext / 1000))
