import { createCodeGate } from '../limits/code-gate.ts'
import type { Limiters } from '../limits/limiters.ts'

const IN_A_QUARTER = 8
const IN_A_DAY = 40

/** Signing in and acting in a session are counted apart: one cannot use up the other's tries. */
export type Door = 'sign-in' | 'session'

/**
 * Limits how many codes of an app one account tries: six digits can be guessed. At the sign-in the
 * password comes first, so that a stranger cannot use the tries up. A thief of the password can; the
 * owner then enters a recovery code, which is not counted, because it cannot be guessed.
 */
export function createGuessLimit(limiters: Limiters, door: Door) {
  const sentence = (minutes: number) =>
    `Too many codes were tried. Try again in ${minutes} minutes, or enter a recovery code.`
  const quarter = createCodeGate(limiters, {
    name: `code-${door}`,
    tries: IN_A_QUARTER,
    seconds: 15 * 60,
    sentence,
  })
  const day = createCodeGate(limiters, {
    name: `code-day-${door}`,
    tries: IN_A_DAY,
    seconds: 24 * 3600,
    sentence,
  })
  return {
    pass: <T>(userId: number, work: () => Promise<T>): Promise<T> =>
      quarter.pass(userId, () => day.pass(userId, work)),
  }
}
