import { api } from '#shared/api/index.ts'
import type { RequestOptions } from '#shared/api/people/webauthn.ts'
import { PASSWORD } from '../../testing/factories.ts'
import type { Person, TestApp, TestClock } from '../../testing/test-app.ts'
import { withSecondFactor } from './app-of.ts'
import { createAuthenticator } from './authenticator.ts'

/** A person with an authenticator app and a passkey beside it. */
export async function withPasskey(
  t: TestApp,
  person: Person,
  clock: TestClock,
  device = createAuthenticator(),
) {
  const factor = await withSecondFactor(t, person, clock)
  const passkey = await addPasskey(factor.me, device)
  return { ...factor, device, passkey }
}

export async function addPasskey(
  me: ReturnType<TestApp['as']>,
  device = createAuthenticator(),
  name = 'Key ring',
) {
  const options = await me.call(api.passkeys.begin, { body: { name } })
  return await me.call(api.passkeys.add, { body: { name, credential: device.create(options) } })
}

/** What the answer to the right password asks a passkey to sign. */
export async function askedAtSignIn(
  t: TestApp,
  { username }: { username: string },
): Promise<RequestOptions> {
  const body = { username, password: PASSWORD }
  const { details } = (await t.visitor.attempt(api.auth.login, { body })).body
  const { passkey } = Object(details) as { passkey?: RequestOptions }
  if (!passkey) throw new Error('no passkey was asked for')
  return passkey
}
