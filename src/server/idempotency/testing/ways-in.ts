import { api } from '#shared/api/index.ts'
import { appOf, withSecondFactor } from '../../second-factor/testing/app-of.ts'
import { createAuthenticator } from '../../second-factor/testing/authenticator.ts'
import type { TestApp, TestClock } from '../../testing/test-app.ts'
import type { Case } from './ways-back.ts'

/** Calls that give an account another way in. */
export const waysIn = (t: TestApp, clock: TestClock): Case[] => [
  {
    route: api.secondFactor.confirm,
    arrange: async () => {
      const me = t.as(await t.make.client())
      const { secret } = await me.call(api.secondFactor.begin)
      return [me, { body: { code: appOf(secret, clock)() } }]
    },
  },
  {
    route: api.passkeys.add,
    arrange: async () => {
      const { me } = await withSecondFactor(t, await t.make.client(), clock)
      const body = { name: 'Laptop' }
      const options = await me.call(api.passkeys.begin, { body })
      const credential = createAuthenticator().create(options)
      return [me, { body: { ...body, credential } }]
    },
  },
]
