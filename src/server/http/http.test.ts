import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { readConfig } from '../config/config.ts'
import { testApp } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { createFastify } from './server.ts'

describe('bad input', async () => {
  const t = await testApp()
  const admin = t.as(await t.make.admin())
  const post = (payload: string, headers: Record<string, string> = {}) =>
    admin.send({
      method: 'POST',
      url: '/api/admin/users',
      payload,
      headers: { 'content-type': 'application/json', ...headers },
    })

  test.each([
    ['malformed JSON', '{"a":', {}, 400, 'MALFORMED_JSON'],
    ['an empty body', '', {}, 400, 'INVALID_INPUT'],
    [
      'another type',
      'a=1',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['plain text', '{}', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['too large a body', JSON.stringify({ a: 'x'.repeat(100_000) }), {}, 413, 'BODY_TOO_LARGE'],
    ['an array', '[]', {}, 400, 'INVALID_INPUT'],
    ['null', 'null', {}, 400, 'INVALID_INPUT'],
  ])('%s', async (_name, payload, headers, status, code) => {
    const before = await admin.call(api.users.list)
    const reply = await post(payload, headers)
    expect([reply.statusCode, reply.json().code]).toEqual([status, code])
    expect(reply.json().message).toMatch(/\w+.*/)
    expect(await admin.call(api.users.list)).toEqual(before)
  })

  test('an unknown path is 404, a known one with another method 405, both JSON', async () => {
    const unknown = await t.visitor.send({ method: 'GET', url: '/api/nothing' })
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'NOT_FOUND'])
    const wrong = await t.visitor.send({ method: 'PATCH', url: '/api/admin/users/7/device' })
    expect([wrong.statusCode, wrong.json().code]).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(wrong.headers.allow).toContain('DELETE')
  })

  test('an invalid id is refused with a sentence', async () => {
    for (const id of ['abc', '-1', '0', '1.5', '99999999999', '%00']) {
      const reply = await admin.send({ method: 'DELETE', url: `/api/admin/users/${id}` })
      expect([400, 404]).toContain(reply.statusCode)
    }
  })

  test('access is checked before the body is read', async () => {
    const reply = await t.visitor.send({
      method: 'POST',
      url: '/api/admin/users',
      payload: '{"broken',
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.statusCode).toBe(401)
  })

  test('keys that the schema does not name are dropped', async () => {
    const email = t.make.email('extra')
    const made = await post(
      `{"firstName":"Ada","lastName":"Byron","email":"${email}","mobileNumber":"0123456789",
        "password":"long enough","agreedToTerms":true,"passwordHash":"x","id":1,
        "__proto__":{"role":"admin"},"constructor":{"prototype":{"role":"admin"}}}`,
    )
    expect(made.statusCode).toBe(201)
    expect(made.json()).toMatchObject({ role: 'client', email })
    expect(made.json()).not.toHaveProperty('passwordHash')
  })
})

describe('every answer', async () => {
  const t = await testApp()

  test('has the security headers and is never cached', async () => {
    const { headers } = await t.visitor.send({ method: 'GET', url: '/api/settings' })
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(headers['content-security-policy']).toContain("default-src 'none'")
  })

  test("carries the request's id, if that is valid", async () => {
    const ask = async (id: string) => {
      const reply = await t.visitor.send({
        method: 'GET',
        url: '/healthz',
        headers: { 'x-request-id': id },
      })
      return reply.headers['x-request-id']
    }
    expect(await ask('abc-12345')).toBe('abc-12345')
    expect(await ask('a\tb"<script>')).not.toContain('<')
  })

  test('reveals nothing about an unexpected fault', async () => {
    const broken = await testApp()
    const admin = broken.as(await broken.make.admin())
    await broken.db.execute('alter table audit_log rename to gone')
    const reply = await admin.send({ method: 'GET', url: '/api/admin/audit' })
    expect(reply.statusCode).toBe(500)
    expect(reply.json()).toEqual({
      code: 'INTERNAL',
      message: 'Something went wrong on our side. Please try again.',
    })
  })
})

test('an unused connection is kept longer than a proxy keeps it', async () => {
  const t = await testApp()
  await t.app.ready()
  const CADDY_MS = 120_000
  expect(t.app.server.keepAliveTimeout).toBeGreaterThan(CADDY_MS)
})

test('the API document names the session cookie of an https installation', async () => {
  const t = await testApp({ env: { PUBLIC_URL: 'https://vps.example' } })
  const reply = await t.visitor.send({ method: 'GET', url: '/api/openapi.json' })
  expect(reply.json().components.securitySchemes.session.name).toBe('__Host-hushbox')
})

describe('a write from another site', async () => {
  const t = await testApp({ env: { PUBLIC_URL: 'https://vps.example' } })
  const logout = (headers: Record<string, string>) =>
    t.visitor.send({ method: 'POST', url: '/api/auth/logout', headers })

  test.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'https://vps.example.evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('%j is refused', async (headers) => {
    expect((await logout(headers)).json().code).toBe('CROSS_SITE')
  })

  test.each([
    {},
    { origin: 'https://vps.example' },
    { origin: 'https://vps.example', 'sec-fetch-site': 'same-origin' },
  ])('%j passes', async (headers) => {
    expect((await logout(headers)).json().code).toBe('UNAUTHENTICATED')
  })
})

describe('limits', async () => {
  const t = await testApp({ env: { RATE_LIMIT_SCALE: '0.05' } })
  const routes: Route[] = Object.values(api).flatMap((group) => Object.values(group))

  test('count every route, and unknown paths too', async () => {
    const targets = [
      ...routes.map(({ method, path }) => ({ method, url: path })),
      { method: 'GET', url: '/nothing' } as const,
    ]
    for (const [index, target] of targets.entries()) {
      const reply = await t.app.inject({ ...target, remoteAddress: `10.0.${index}.1` })
      expect(reply.headers['ratelimit-remaining'], target.url).toBeDefined()
    }
  })

  test('answer 429 with the time to wait, and other addresses are not affected', async () => {
    const ask = (remoteAddress: string) =>
      t.app.inject({ method: 'GET', url: '/api/settings', remoteAddress })
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask('203.0.113.1')))
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect(refused).toHaveLength(40)
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
    expect((await ask('203.0.113.2')).statusCode).toBe(200)
  })

  test('count a whole IPv6 /64 as one address', async () => {
    const ask = (host: number) =>
      t.app.inject({ method: 'GET', url: '/healthz', remoteAddress: `2001:db8:0:1::${host}` })
    const answers = await Promise.all(Array.from({ length: 61 }, (_, host) => ask(host + 1)))
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(1)
  })
})

describe('health', async () => {
  const t = await testApp({ withJobs: true })

  test('is alive and ready', async () => {
    expect((await t.visitor.send({ method: 'GET', url: '/healthz' })).statusCode).toBe(200)
    const ready = await t.visitor.send({ method: 'GET', url: '/readyz' })
    expect(ready.json()).toEqual({
      status: 'ok',
      checks: { database: true, migrations: true, jobs: true },
    })
  })

  test('is not ready without a worker, and says so', async () => {
    const idle = await testApp()
    const reply = await idle.visitor.send({ method: 'GET', url: '/readyz' })
    expect([reply.statusCode, reply.json().checks.jobs]).toEqual([503, false])
  })

  test('metrics require the token, because an onion service and a proxy also come from this machine', async () => {
    const ask = (app: typeof t, headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
      app.app.inject({ method: 'GET', url: '/metrics', headers, remoteAddress })
    expect((await ask(t, {})).statusCode).toBe(404)
    expect((await ask(t, { host: 'hushbox.onion' })).statusCode).toBe(404)
    const guarded = await testApp({ env: { METRICS_TOKEN: 'a token for metrics' } })
    expect((await ask(guarded, {})).statusCode).toBe(404)
    const authorization = 'Bearer a token for metrics'
    const answer = await ask(guarded, { authorization }, '203.0.113.1')
    expect([answer.statusCode, answer.body]).toEqual([
      200,
      expect.stringContaining('hushbox_requests_total'),
    ])
  })
})

describe.each(EACH_DATABASE)(
  'a character that the database cannot store, on %s',
  async (database) => {
    const t = await testApp({ database })

    test('is refused with a sentence', async () => {
      const reply = await t.visitor.send({
        method: 'POST',
        url: '/api/auth/login',
        payload: JSON.stringify({ username: 'a\u0000b', password: 'correct horse battery' }),
        headers: { 'content-type': 'application/json' },
      })
      expect(reply.statusCode).toBe(400)
      expect(reply.json()).toMatchObject({ message: 'Please remove control characters' })
    })
  },
)

test.each([{ querystring: { type: 'object' } }, { response: { 200: { type: 'object' } } }])(
  'a route with a schema of Fastify is refused at the start: %j',
  async (schema) => {
    const app = createFastify(readConfig({ LOG_LEVEL: 'silent' }))
    const route = async () => {
      app.get('/odd', { schema }, () => 'never')
      await app.ready()
    }
    await expect(route()).rejects.toThrow('describe it in src/shared/api')
    await app.close()
  },
)
