import { expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { testApp } from '../../testing/test-app.ts'

test('each API key has its own allowance, told in the headers', async () => {
  const t = await testApp({ env: { RATE_LIMIT_SCALE: '0.1' } })
  const me = await t.make.client()
  const body = { name: 'loop', scopes: ['servers:read' as const] }
  const [one, two] = [
    await t.as(me).call(api.apiKeys.create, { body }),
    await t.as(me).call(api.apiKeys.create, { body }),
  ]
  const call = (key: string) =>
    t.app.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${key}` } })
  const first = await call(one.key)
  expect(first.headers).toMatchObject({ 'ratelimit-limit': '30', 'ratelimit-remaining': '29' })
  for (let more = 0; more < 29; more += 1) expect((await call(one.key)).statusCode).toBe(200)
  const over = await call(one.key)
  expect(over.statusCode).toBe(429)
  expect(over.headers).toMatchObject({
    'ratelimit-remaining': '0',
    'ratelimit-reset': over.headers['retry-after'],
  })
  expect((await call(two.key)).headers).toMatchObject({ 'ratelimit-remaining': '29' })
})
