import { AppError } from '#shared/errors.ts'
import type { Limiters } from './limiters.ts'
import { createNetworkLimit } from './network-limit.ts'
import type { LimitedVisitor } from './visitor.ts'

const FAILURES = 8
const WINDOW_SECONDS = 15 * 60

/**
 * Slows one network that guesses at one account. Nothing is counted per account alone, so that no
 * visitor can lock another person out. On an onion address every visitor has the same address, so a
 * count of (address, account) would do just that, and there is none: the protection there is the
 * limit per minute for all visitors together, 130-bit passwords, and the refusal of common ones.
 */
export function createLoginThrottle(limiters: Limiters, name: 'login' | 'recover' = 'login') {
  const limit = createNetworkLimit(limiters, {
    name,
    points: FAILURES,
    seconds: WINDOW_SECONDS,
    onion: undefined,
  })
  const nameOf = (username: string) => username.toLowerCase()

  return {
    /**
     * Counts before the password is checked: a thousand concurrent attempts are a thousand
     * attempts.
     */
    async enter(visitor: LimitedVisitor, username: string): Promise<void> {
      const { refusal } = await limit.take(visitor, nameOf(username))
      if (refusal) throw tooMany(refusal.retryAfter)
    },
    /** The password was right. */
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
