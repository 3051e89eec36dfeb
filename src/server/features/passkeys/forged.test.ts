import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { Assertion } from '#shared/api/people/webauthn.ts'
import { passkeyChallenges, passkeys, sessions } from '../../db/schema/accounts.ts'
import { createChallenges } from '../../second-factor/challenges.ts'
import { withSecondFactor } from '../../second-factor/testing/app-of.ts'
import { createAuthenticator, PUBLIC_URL } from '../../second-factor/testing/authenticator.ts'
import { addPasskey, askedAtSignIn, withPasskey } from '../../second-factor/testing/with-passkey.ts'
import { PASSWORD } from '../../testing/factories.ts'
import { type TestApp, testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'

const MINUTE = 60_000
const env = { PUBLIC_URL }
const REFUSED = { status: 401, body: { code: 'INVALID_CREDENTIALS' } }

const signIn = (
  t: TestApp,
  { username }: { username: string },
  passkey: Assertion,
  password = PASSWORD,
) => t.visitor.attempt(api.auth.login, { body: { username, password, passkey } })

describe.each(BOTH_DATABASES)('a sign-in by passkey on %s is refused', async (database) => {
  const clock = testClock()
  const t = await testApp({ clock, env, database })
  const made = async () => {
    const client = await t.make.client()
    return { client, ...(await withPasskey(t, client, clock)) }
  }

  test.each([
    ['on a page that imitates ours', { origin: 'https://hush.example.evil.test' }],
    ['on another port of our host', { origin: `${PUBLIC_URL}:8443` }],
    ['by a passkey of another host', { rpId: 'evil.test' }],
    ['for another use', { type: 'webauthn.create' }],
  ])('when it was signed %s', async (_what, lie) => {
    const { client, device } = await made()
    const asked = await askedAtSignIn(t, client)
    expect(await signIn(t, client, device.sign(asked, lie))).toMatchObject(REFUSED)
    // The challenge ended with that answer, wrong as it was.
    expect(await signIn(t, client, device.sign(asked))).toMatchObject(REFUSED)
    const again = device.sign(await askedAtSignIn(t, client))
    expect((await signIn(t, client, again)).status).toBe(200)
  })

  test('when another key signed it', async () => {
    const { client, device } = await made()
    const copy = createAuthenticator().sign(await askedAtSignIn(t, client))
    const forged = { ...copy, id: device.id, rawId: device.id }
    expect(await signIn(t, client, forged)).toMatchObject(REFUSED)
  })

  test('when it is the passkey of another person', async () => {
    const [one, other] = [await made(), await made()]
    const asked = await askedAtSignIn(t, one.client)
    expect(await signIn(t, one.client, other.device.sign(asked))).toMatchObject(REFUSED)
  })

  test('when the challenge was given to another account, or was never given', async () => {
    const [one, other] = [await made(), await made()]
    const asked = await askedAtSignIn(t, other.client)
    expect(await signIn(t, one.client, one.device.sign(asked))).toMatchObject(REFUSED)
    const invented = one.device.sign(asked, { challenge: 'invented' })
    expect(await signIn(t, one.client, invented)).toMatchObject(REFUSED)
  })

  test('without the right password', async () => {
    const { client, device } = await made()
    const passkey = device.sign(await askedAtSignIn(t, client))
    expect(await signIn(t, client, passkey, 'a wrong one')).toMatchObject(REFUSED)
    const alone = { username: client.username, passkey }
    const { path: url } = api.auth.login
    const answer = await t.visitor.send({ method: 'POST', url, payload: alone })
    expect(answer.statusCode).toBe(400)
    expect((await signIn(t, client, passkey)).status).toBe(200)
  })

  test('when the same answer comes twice', async () => {
    const { client, device } = await made()
    const passkey = device.sign(await askedAtSignIn(t, client))
    expect((await signIn(t, client, passkey)).status).toBe(200)
    expect(await signIn(t, client, passkey)).toMatchObject(REFUSED)
  })

  test('after five minutes, and the challenge is deleted', async () => {
    const { client, device } = await made()
    const asked = await askedAtSignIn(t, client)
    clock.advance(5 * MINUTE)
    expect(await signIn(t, client, device.sign(asked))).toMatchObject(REFUSED)
    const mine = eq(passkeyChallenges.userId, client.id)
    expect(await t.db.$count(passkeyChallenges, mine)).toBe(1)
    await createChallenges(t.deps).prune()
    expect(await t.db.$count(passkeyChallenges, mine)).toBe(0)
  })

  test('when the counter of the device does not go up', async () => {
    const { client, device } = await made()
    const withCounter = async (counter: number) => {
      device.state.counter = counter
      return (await signIn(t, client, device.sign(await askedAtSignIn(t, client)))).status
    }
    expect(await withCounter(0)).toBe(200)
    expect(await withCounter(0)).toBe(200)
    expect(await withCounter(7)).toBe(200)
    expect(await withCounter(7)).toBe(401)
    expect(await withCounter(6)).toBe(401)
    expect(await withCounter(0)).toBe(401)
    expect(await withCounter(8)).toBe(200)
  })
})

describe('a challenge of a session', async () => {
  const clock = testClock()
  const t = await testApp({ clock, env })
  const prove = (who: ReturnType<TestApp['as']>, passkey: Assertion) =>
    who.attempt(api.secondFactor.prove, { body: { passkey } })

  test('is of no use in another session, nor to sign in', async () => {
    const client = await t.make.client()
    const { me, device } = await withPasskey(t, client, clock)
    const elsewhere = t.as(client)
    const answer = async () => device.sign(await me.call(api.passkeys.challenge))
    expect((await prove(elsewhere, await answer())).status).toBe(400)
    expect(await signIn(t, client, await answer())).toMatchObject(REFUSED)
    const atSignIn = device.sign(await askedAtSignIn(t, client))
    expect((await prove(me, atSignIn)).status).toBe(400)
    expect((await prove(me, await answer())).status).toBe(204)
  })

  test('that was given to add a passkey confirms nothing', async () => {
    const { me, device } = await withPasskey(t, await t.make.client(), clock)
    const asked = await me.call(api.passkeys.challenge)
    const { challenge } = await me.call(api.passkeys.begin, { body: { name: 'Another' } })
    expect((await prove(me, device.sign(asked, { challenge }))).status).toBe(400)
  })

  test('needs a code or a passkey in the answer', async () => {
    const { me } = await withPasskey(t, await t.make.client(), clock)
    const answer = await me.attempt(api.secondFactor.prove, { body: {} })
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('code') },
    })
  })
})

describe('a new passkey is refused', async () => {
  const clock = testClock()
  const t = await testApp({ clock, env })
  const body = { name: 'Key ring' }
  const certificate = new Map([['x5c', [Buffer.from('a certificate')]]])

  test.each([
    ['made on a page that imitates ours', { origin: 'https://evil.test' }],
    ['made for another host', { rpId: 'evil.test' }],
    ['made for a challenge that was not given', { challenge: 'invented' }],
    ['with a certificate of its maker', { format: 'packed', statement: certificate }],
    ['with a statement that was not asked for', { format: 'apple' }],
  ])('if it was %s', async (_what, lie) => {
    const client = await t.make.client()
    const { me } = await withSecondFactor(t, client, clock)
    const options = await me.call(api.passkeys.begin, { body })
    const credential = createAuthenticator().create(options, lie)
    const answer = await me.attempt(api.passkeys.add, { body: { ...body, credential } })
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    expect(await t.db.$count(passkeys, eq(passkeys.userId, client.id))).toBe(0)
  })

  test('if another session was asked to make it', async () => {
    const client = await t.make.client()
    const { me } = await withSecondFactor(t, client, clock)
    const credential = createAuthenticator().create(await me.call(api.passkeys.begin, { body }))
    const elsewhere = t.as(client)
    const add = (who: typeof me) => who.attempt(api.passkeys.add, { body: { ...body, credential } })
    expect((await add(elsewhere)).status).toBe(400)
    expect((await add(me)).status).toBe(201)
    expect((await add(me)).status).toBe(400)
  })
})

test('one answer, sent to two processes at once, signs in once', async () => {
  const clock = testClock()
  const one = await testApp({ clock, env })
  const other = await testApp({ clock, env, on: one.database })
  for (let round = 0; round < 5; round += 1) {
    const client = await one.make.client()
    const { device } = await withPasskey(one, client, clock)
    const passkey = device.sign(await askedAtSignIn(one, client))
    const answers = await Promise.all(
      [one, other, one, other].map((t) => signIn(t, client, passkey)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await one.db.$count(sessions, eq(sessions.userId, client.id))).toBe(2)
  }
})

test('a passkey is offered at the address it was made for, and at no other', async () => {
  const clock = testClock()
  const one = await testApp({ clock, env })
  const other = await testApp({ clock, env: { PUBLIC_URL: 'https://b.example' }, on: one.database })
  const client = await one.make.client()
  const { me, device } = await withPasskey(one, client, clock)
  const body = { username: client.username, password: PASSWORD }
  const { details } = (await other.visitor.attempt(api.auth.login, { body })).body
  expect(details).toEqual({ reason: 'sign-in' })
  const there = other.with((await me.cookie) ?? '')
  const second = createAuthenticator()
  await addPasskey(there, second)
  const asked = await askedAtSignIn(one, client)
  expect(asked.allowCredentials).toEqual([{ id: device.id, type: 'public-key' }])
  const elsewhere = second.sign(await askedAtSignIn(other, client))
  expect((await signIn(other, client, elsewhere)).status).toBe(200)
})
