import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { recoveryCodes, secondFactors, sessions } from '../../db/schema/accounts.ts'
import { appOf, withSecondFactor } from '../../second-factor/testing/app-of.ts'
import { PASSWORD } from '../../testing/factories.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

describe.each(EACH_DATABASE)('a second factor on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ database, clock })
  const login = (username: string, code?: string, password = PASSWORD) =>
    t.visitor.attempt(api.auth.login, { body: { username, password, ...(code && { code }) } })

  test('is asked for once a code has confirmed it, and not before', async () => {
    const client = await t.make.client()
    const me = t.as(client)
    const { secret, uri } = await me.call(api.secondFactor.begin)
    expect(uri).toContain(`secret=${secret}&issuer=Hushbox`)
    expect((await login(client.username)).status).toBe(200)
    const code = appOf(secret, clock)
    const wrong = await me.attempt(api.secondFactor.confirm, { body: { code: '000000' } })
    expect(wrong).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    expect((await login(client.username)).status).toBe(200)
    const { recoveryCodes: codes } = await me.call(api.secondFactor.confirm, {
      body: { code: code() },
    })
    expect(new Set(codes).size).toBe(10)
    expect(await login(client.username)).toMatchObject({
      status: 401,
      body: { code: 'SECOND_FACTOR_REQUIRED' },
    })
    expect(await me.call(api.secondFactor.state)).toMatchObject({ isOn: true, codesLeft: 10 })
  })

  test('says nothing of itself to a caller with a wrong password', async () => {
    const client = await t.make.client()
    const { code } = await withSecondFactor(t, client, clock)
    for (const given of [undefined, code(), '000000']) {
      expect(await login(client.username, given, 'wrong password')).toMatchObject({
        status: 401,
        body: { code: 'INVALID_CREDENTIALS', message: 'Invalid username/email or password.' },
      })
    }
    // Nor was the code used up.
    expect((await login(client.username, code())).status).toBe(200)
  })

  test('accepts a code once, and none older than one that was used', async () => {
    const client = await t.make.client()
    const { code } = await withSecondFactor(t, client, clock)
    const before = code(-1)
    expect((await login(client.username, code())).status).toBe(200)
    for (const used of [code(), before]) {
      expect(await login(client.username, used)).toMatchObject({
        status: 401,
        body: { code: 'INVALID_CREDENTIALS' },
      })
    }
    clock.advance(30_000)
    expect((await login(client.username, code())).status).toBe(200)
  })

  test('accepts a clock that is half a minute wrong, and not a whole one', async () => {
    const client = await t.make.client()
    const { code } = await withSecondFactor(t, client, clock)
    const statuses = []
    for (const drift of [-2, -1, 1, 2]) {
      statuses.push((await login(client.username, code(drift))).status)
    }
    expect(statuses).toEqual([401, 200, 200, 401])
  })

  test('accepts one of twenty concurrent sign-ins with one code', async () => {
    const client = await t.make.client()
    const { code } = await withSecondFactor(t, client, clock)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => login(client.username, code())),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('accepts each recovery code once, however it is typed', async () => {
    const client = await t.make.client()
    const { me, recoveryCodes: codes } = await withSecondFactor(t, client, clock)
    const typed = (codes[0] ?? '').toLowerCase().replaceAll('-', ' ')
    const answers = await Promise.all([1, 2, 3].map(() => login(client.username, typed)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    expect(await me.call(api.secondFactor.state)).toMatchObject({ codesLeft: 9 })
    const stranger = await t.make.client()
    await withSecondFactor(t, stranger, clock)
    expect((await login(stranger.username, codes[1])).status).toBe(401)
  })

  test('keeps no code and no secret in the clear', async () => {
    const client = await t.make.client()
    const me = t.as(client)
    const { secret } = await me.call(api.secondFactor.begin)
    const code = appOf(secret, clock)
    const body = { code: code() }
    const { recoveryCodes: codes } = await me.call(api.secondFactor.confirm, { body })
    const stored = JSON.stringify([
      await t.db.select().from(secondFactors),
      await t.db.select().from(recoveryCodes),
    ])
    for (const plain of [secret, ...codes, ...codes.map((one) => one.replaceAll('-', ''))]) {
      expect(stored).not.toContain(plain)
    }
  })

  test('is turned off by password and code together, and by neither alone', async () => {
    const client = await t.make.client()
    const { me, code, recoveryCodes: codes } = await withSecondFactor(t, client, clock)
    const off = (password: string, given: string) =>
      me.attempt(api.secondFactor.turnOff, { body: { password, code: given } })
    expect((await off('wrong password', code())).status).toBe(400)
    expect((await off(PASSWORD, '000000')).status).toBe(400)
    expect((await login(client.username)).status).toBe(401)
    expect((await off(PASSWORD, code())).status).toBe(204)
    expect((await login(client.username)).status).toBe(200)
    expect(await t.db.$count(recoveryCodes, eq(recoveryCodes.userId, client.id))).toBe(0)
    expect((await off(PASSWORD, codes[0] ?? '')).body.code).toBe('INVALID_STATE')
  })

  test('ends the sessions that were begun without it', async () => {
    const client = await t.make.client()
    const elsewhere = t.as(client)
    await elsewhere.call(api.auth.me)
    const { me } = await withSecondFactor(t, client, clock)
    expect((await elsewhere.attempt(api.auth.me)).status).toBe(401)
    expect((await me.attempt(api.auth.me)).status).toBe(200)
  })
})

describe('setting a second factor up', async () => {
  const clock = testClock()
  const t = await testApp({ clock })

  test('needs the password, unless it was just entered to sign in', async () => {
    const client = await t.make.client()
    const me = t.as(client)
    await me.call(api.secondFactor.begin)
    clock.advance(11 * 60_000)
    const begin = (body: { password?: string }) => me.attempt(api.secondFactor.begin, { body })
    expect(await begin({})).toMatchObject({
      status: 400,
      body: { message: 'Please enter your password' },
    })
    expect((await begin({ password: 'wrong password' })).status).toBe(400)
    expect((await begin({ password: PASSWORD })).status).toBe(200)
  })

  test('is refused while one is on: a session alone cannot replace it', async () => {
    const client = await t.make.client()
    const { me, code } = await withSecondFactor(t, client, clock)
    expect((await me.attempt(api.secondFactor.begin)).body.code).toBe('INVALID_STATE')
    const again = await me.attempt(api.secondFactor.confirm, { body: { code: code() } })
    expect(again.body.code).toBe('INVALID_STATE')
  })

  test('answers a repeated confirmation with the same recovery codes', async () => {
    const client = await t.make.client()
    const me = t.as(client)
    const { secret } = await me.call(api.secondFactor.begin)
    const confirm = () =>
      me.send({
        method: 'POST',
        url: '/api/account/totp/confirm',
        headers: { 'idempotency-key': `confirm ${client.id}` },
        payload: { code: appOf(secret, clock)() },
      })
    const first = await confirm()
    expect((await confirm()).json()).toEqual(first.json())
    expect(await t.db.$count(recoveryCodes, eq(recoveryCodes.userId, client.id))).toBe(10)
  })

  test('is in the activity of the account, and in its export', async () => {
    const client = await t.make.client()
    const { me, code } = await withSecondFactor(t, client, clock)
    await me.call(api.secondFactor.prove, { body: { code: code() } })
    const activity = await me.call(api.account.activity)
    expect(activity[0]).toMatchObject({ action: 'account.second-factor-on', by: 'you' })
    const exported = await me.call(api.account.export)
    expect(exported.secondFactor).toMatchObject({ codesLeft: 10 })
    expect(exported.secondFactor?.since).toBeTruthy()
  })
})

test('a code works in one of two processes, never in both', async () => {
  const clock = testClock()
  const one = await testApp({ clock })
  const other = await testApp({ clock, on: one.database })
  for (let round = 0; round < 5; round += 1) {
    const client = await one.make.client()
    const { code } = await withSecondFactor(one, client, clock)
    const body = { username: client.username, password: PASSWORD, code: code() }
    const answers = await Promise.all(
      [one, other, one, other].map((t) => t.visitor.attempt(api.auth.login, { body })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await one.db.$count(sessions, eq(sessions.userId, client.id))).toBe(2)
  }
})
