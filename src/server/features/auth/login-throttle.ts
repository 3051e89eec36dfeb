import { AppError } from '#shared/errors.ts'
import type { Limiters } from '../../limits/limiters.ts'
import { createNetworkLimit } from '../../limits/network-limit.ts'
import type { LimitedVisitor } from '../../limits/visitor.ts'

const FAILURES = 8
const WINDOW_SECONDS = 15 * 60

/**
 * Slows one network that guesses at one account. Nothing here is counted per account alone: nobody
 * can lock another person out. On an onion address everybody has the same address, so a count of
 * (address, account) would be just that, and there is none: what holds there is the number of
 * tries a minute of all together, 130-bit passwords, and that common ones are refused.
 */
export function createLoginThrottle(limiters: Limiters) {
  const limit = createNetworkLimit(limiters, {
    name: 'login',
    points: FAILURES,
    seconds: WINDOW_SECONDS,
    onion: undefined,
  })
  const nameOf = (username: string) => username.toLowerCase()

  return {
    /** Counted before the password is checked: a thousand tries at once are a thousand tries. */
    async enter(visitor: LimitedVisitor, username: string): Promise<void> {
      const { refusal } = await limit.take(visitor, nameOf(username))
      if (refusal) throw tooMany(refusal.retryAfter)
    },
    /** It was the right one. */
    succeeded: (visitor: LimitedVisitor, username: string) =>
      limit.giveBack(visitor, nameOf(username)),
  }
}

function tooMany(retryAfter: number): AppError {
  const minutes = Math.ceil(retryAfter / 60)
  return new AppError(
    'TOO_MANY_REQUESTS',
    `Too many failed attempts from your network. Try again in ${minutes} minutes.`,
    { retryAfter },
  )
}
