import { api } from '#shared/api/index.ts'
import type { Person, TestApp, TestClock } from '../../testing/test-app.ts'
import { codeOf, stepAt } from '../totp.ts'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const fromBase32 = (text: string): Buffer => {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

/** An authenticator app that has read this secret: its code now, or some steps from now. */
export const appOf =
  (secret: string, clock: TestClock) =>
  (steps = 0): string =>
    codeOf(fromBase32(secret), stepAt(clock.now()) + steps)

/** Turns the second factor of a person on, in a session of its own, and lets its code pass. */
export async function withSecondFactor(t: TestApp, person: Person, clock: TestClock) {
  const me = t.as(person)
  const { secret } = await me.call(api.secondFactor.begin)
  const code = appOf(secret, clock)
  const { recoveryCodes } = await me.call(api.secondFactor.confirm, { body: { code: code() } })
  clock.advance(60_000)
  return { me, code, recoveryCodes }
}
