import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const DEVICE = 'aa:bb:cc:dd:ee:ff'

describe.each(EACH_DATABASE)('registration on %s', async (database) => {
  const t = await testApp({ database })

  test('gives a 7-digit number and a password that signs in', async () => {
    const made = await t.visitor.call(api.auth.register, {
      body: { agreedToTerms: true, deviceMacAddress: '00:11:22:33:44:55' },
    })
    expect(made.username).toMatch(/^[1-9]\d{6}$/)
    expect(made.generatedPassword.replaceAll('-', '')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    const signedIn = await t.visitor.attempt(api.auth.login, {
      body: { username: made.username, password: made.generatedPassword },
    })
    expect(signedIn).toMatchObject({ status: 200, body: { role: 'client', email: null } })
  })

  test('makes one account of fifty concurrent requests from one device', async () => {
    const attempts = Array.from({ length: 50 }, () =>
      t.visitor.attempt(api.auth.register, {
        body: { agreedToTerms: true, deviceMacAddress: DEVICE },
      }),
    )
    const answers = await Promise.all(attempts)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused).toHaveLength(49)
    expect(refused[0]?.body.code).toBe('DEVICE_ALREADY_REGISTERED')
  })
})

describe('registration', async () => {
  const t = await testApp()

  test.each([
    [{ agreedToTerms: false, deviceMacAddress: DEVICE }, 'You must agree to the terms'],
    [{ agreedToTerms: true }, 'Device fingerprint not available'],
    [{ agreedToTerms: true, deviceMacAddress: 'AA:BB' }, 'Device fingerprint not available'],
  ])('refuses %j', async (body, sentence) => {
    const answer = await t.visitor.send({
      method: 'POST',
      url: '/api/auth/register',
      payload: body,
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().message).toContain(sentence)
  })

  test('allows several accounts per device if the device policy is off', async () => {
    const free = await testApp({ env: { DEVICE_POLICY: 'off' } })
    const body = { agreedToTerms: true, deviceMacAddress: DEVICE } as const
    const one = await free.visitor.call(api.auth.register, { body })
    const other = await free.visitor.call(api.auth.register, { body })
    expect(other.username).not.toBe(one.username)
  })
})

describe('signing in', async () => {
  const t = await testApp()

  test('works by username and by e-mail, whatever its case', async () => {
    const admin = await t.make.admin({ email: 'Boss@Example.test' })
    for (const username of [admin.username, 'boss@example.TEST']) {
      const answer = await t.visitor.attempt(api.auth.login, {
        body: { username, password: PASSWORD },
      })
      expect(answer.status).toBe(200)
    }
  })

  test('unknown, wrong and inactive get one answer', async () => {
    const client = await t.make.client()
    const inactive = await t.make.client({ isActive: false })
    const answers = await Promise.all(
      [
        { username: '9999999', password: PASSWORD },
        { username: client.username, password: 'wrong' },
        { username: inactive.username, password: PASSWORD },
      ].map((body) => t.visitor.attempt(api.auth.login, { body })),
    )
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({
        status: 401,
        body: { code: 'INVALID_CREDENTIALS', message: 'Invalid username/email or password.' },
      })
    }
  })

  test('sets a new cookie each time, http-only and lax', async () => {
    const client = await t.make.client()
    const body = { username: client.username, password: PASSWORD }
    const first = await t.visitor.attempt(api.auth.login, { body })
    const second = await t.with(first.cookie ?? '').attempt(api.auth.login, { body })
    expect(first.cookie).not.toBe(second.cookie)
    expect(String(first.headers['set-cookie'])).toMatch(/HttpOnly.*SameSite=Lax/i)
  })

  test('over https sets a cookie that is __Host- and secure', async () => {
    const https = await testApp({ env: { PUBLIC_URL: 'https://vps.example' } })
    const client = await https.make.client()
    const answer = await https.visitor.attempt(api.auth.login, {
      body: { username: client.username, password: PASSWORD },
    })
    expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-hushbox=.*Secure/i)
    expect(answer.headers['strict-transport-security']).toBeDefined()
  })

  test('signing out ends the session on the server', async () => {
    const me = t.as(await t.make.client())
    await me.call(api.auth.logout)
    expect((await me.attempt(api.auth.me)).status).toBe(401)
  })
})

test('signing in is slowed for one address that guesses at one account, and not for another', async () => {
  const t = await testApp({ env: { RATE_LIMIT_SCALE: '1' } })
  const client = await t.make.client()
  const login = (remoteAddress: string, password: string) =>
    t.app.inject({
      method: 'POST',
      url: '/api/auth/login',
      remoteAddress,
      payload: { username: client.username, password },
    })
  const guesses = []
  for (let attempt = 0; attempt < 12; attempt += 1) {
    guesses.push((await login('203.0.113.9', `guess ${attempt}`)).statusCode)
  }
  expect(guesses.filter((status) => status === 401)).toHaveLength(8)
  const refused = await login('203.0.113.9', PASSWORD)
  expect(refused.statusCode).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await login('198.51.100.7', PASSWORD)).statusCode).toBe(200)
})
