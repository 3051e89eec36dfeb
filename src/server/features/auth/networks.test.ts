import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog, users } from '../../db/schema/accounts.ts'
import { PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'

type App = Awaited<ReturnType<typeof testApp>>
type From = { remoteAddress: string; host?: string }

const login = ({ app }: App, { remoteAddress, host }: From, username: string, password: string) =>
  app.inject({
    method: 'POST',
    url: '/api/auth/login',
    remoteAddress,
    ...(host ? { headers: { host } } : {}),
    payload: { username, password },
  })

let device = 0
const register = ({ app }: App, { remoteAddress, host }: From) => {
  device += 1
  const deviceMacAddress = device.toString(16).padStart(12, '0').match(/../g)?.join(':')
  return app.inject({
    method: 'POST',
    url: '/api/auth/register',
    remoteAddress,
    ...(host ? { headers: { host } } : {}),
    payload: { agreedToTerms: true, deviceMacAddress },
  })
}

/** A different /64 of one /48 each time; every sixteenth in another /56. */
const ofOne48 = (n: number) => `2001:db8:77:${(n * 16).toString(16)}::1`
const ok = (answers: { statusCode: number }[], status: number) =>
  answers.filter(({ statusCode }) => statusCode === status).length

describe.each(BOTH_DATABASES)('a /48 of IPv6 on %s', async (database) => {
  const t = await testApp({ database, env: { RATE_LIMIT_SCALE: '1' } })

  test('cannot register two hundred accounts', async () => {
    const answers = []
    for (let n = 0; n < 50; n += 1) {
      answers.push(await register(t, { remoteAddress: ofOne48(n) }))
    }
    expect(ok(answers, 201)).toBe(40)
    expect(answers.at(-1)?.statusCode).toBe(429)
    expect(answers.at(-1)?.json().message).toMatch(/from your network\. Try again in \d+ minutes/)
    expect((await register(t, { remoteAddress: '2001:db8:78::1' })).statusCode).toBe(201)
  })

  test('can guess at one account sixteen times, and at many no more than twice as often as one address', async () => {
    const victim = await t.make.client()
    const at = []
    for (let n = 0; n < 40; n += 1) {
      const remoteAddress = `2001:db8:88:${(n * 16).toString(16)}::1`
      at.push(await login(t, { remoteAddress }, victim.username, 'guess'))
    }
    expect(ok(at, 401)).toBe(16)
    const elsewhere = await login(t, { remoteAddress: '2001:db8:99::1' }, victim.username, PASSWORD)
    expect(elsewhere.statusCode).toBe(200)
    const many = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        login(t, { remoteAddress: `2001:db8:aa:${(n * 16).toString(16)}::1` }, `70${n}`, 'guess'),
      ),
    )
    expect(ok(many, 401)).toBe(120)
  })
})

describe('people behind one address', async () => {
  const t = await testApp({ env: { RATE_LIMIT_SCALE: '1' } })
  const nat = { remoteAddress: '203.0.113.200' }

  test('sign in by the hundred, because a right password is not a guess', async () => {
    const client = await t.make.client()
    const answers = []
    for (let n = 0; n < 70; n += 1) answers.push(await login(t, nat, client.username, PASSWORD))
    expect(ok(answers, 200)).toBe(70)
  })

  test('are not locked out by a neighbour who guesses at another account', async () => {
    const [victim, neighbour] = [await t.make.client(), await t.make.client()]
    for (let n = 0; n < 12; n += 1) await login(t, nat, victim.username, 'guess')
    expect((await login(t, nat, neighbour.username, PASSWORD)).statusCode).toBe(200)
  })

  test('are counted apart if they have a session', async () => {
    const tight = await testApp({ env: { RATE_LIMIT_SCALE: '0.05' } })
    const ask = (cookie: string) =>
      tight.app.inject({ url: '/api/settings', ...nat, headers: { cookie } })
    const first = await Promise.all(Array.from({ length: 100 }, () => ask('hushbox=a')))
    expect(ok(first, 429)).toBe(40)
    expect((await ask('hushbox=b')).statusCode).toBe(200)
  })

  test("use up nothing of the machines' share, nor the reverse", async () => {
    const tight = await testApp({ env: { RATE_LIMIT_SCALE: '0.05' } })
    const ask = (url: string, method: 'GET' | 'POST' = 'GET') =>
      tight.app.inject({ method, url, ...nat })
    const visits = await Promise.all(Array.from({ length: 80 }, () => ask('/api/settings')))
    expect(ok(visits, 429)).toBe(20)
    expect((await ask('/healthz')).statusCode).toBe(200)
    expect((await ask('/api/webhooks/stripe', 'POST')).statusCode).not.toBe(429)
    const checks = await Promise.all(Array.from({ length: 80 }, () => ask('/healthz')))
    expect(ok(checks, 429)).toBeGreaterThan(0)
  })
})

describe('an onion address', async () => {
  const t = await testApp({ env: { RATE_LIMIT_SCALE: '1' } })
  const onion = { remoteAddress: '127.0.0.1', host: 'hushboxhushbox.onion' }

  test('lets no visitor lock another out', async () => {
    const victim = await t.make.client()
    for (let n = 0; n < 30; n += 1) await login(t, onion, victim.username, 'guess')
    expect((await login(t, onion, victim.username, PASSWORD)).statusCode).toBe(200)
  })

  test('cannot be claimed by a header from elsewhere', async () => {
    const victim = await t.make.client()
    const liar = { remoteAddress: '203.0.113.9', host: 'hushboxhushbox.onion' }
    const answers = []
    for (let n = 0; n < 12; n += 1) answers.push(await login(t, liar, victim.username, 'guess'))
    expect(ok(answers, 429)).toBe(4)
  })

  test('leaves no network with the account', async () => {
    const { username } = (await register(t, onion)).json()
    const rows = await t.db.select().from(users)
    expect(rows.find((row) => row.username === username)?.registrationIp).toBeNull()
  })
})

test('registration has a limit for all visitors together, and operators are told once', async () => {
  const t = await testApp({ env: { RATE_LIMIT_SCALE: '1', REGISTRATIONS_PER_DAY: '15' } })
  const answers = []
  for (let n = 0; n < 6; n += 1) answers.push(await register(t, { remoteAddress: `192.0.2.${n}` }))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 429, 429, 429])
  const entries = await t.as(await t.make.admin()).call(api.audit.list)
  expect(entries.actions).toContain('auth.registration-full')
  const told = (await t.db.select().from(auditLog)).filter(
    ({ action }) => action === 'auth.registration-full',
  )
  expect(told).toHaveLength(1)
})
