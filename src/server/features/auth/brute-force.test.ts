import { describe, expect, test } from 'vitest'
import { PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'

/** A hash is computed for every attempt that is not refused with 429 first. */
describe('guessing', async () => {
  const t = await testApp({ env: { RATE_LIMIT_SCALE: '1' } })
  const login = (remoteAddress: string, username: string, password: string) =>
    t.app.inject({
      method: 'POST',
      url: '/api/auth/login',
      remoteAddress,
      payload: { username, password },
    })

  test('a thousand times from one address costs sixty hashes a minute and blocks no other address', async () => {
    const victim = await t.make.client()
    // In waves: for a thousand at once a slow machine has too few connections, and says 503.
    const wave = (n: number) =>
      Array.from({ length: 100 }, (_, k) =>
        login('203.0.113.66', String(1_000_000 + n * 100 + k), 'guess'),
      )
    const first = wave(0)
    const signedIn = login('198.51.100.1', victim.username, PASSWORD)
    const answers = await Promise.all(first)
    for (let n = 1; n < 10; n += 1) answers.push(...(await Promise.all(wave(n))))
    expect((await signedIn).statusCode).toBe(200)
    expect(answers.filter(({ statusCode }) => statusCode !== 429)).toHaveLength(60)
  })

  test('at one account from many addresses does not stop its owner from signing in', async () => {
    const victim = await t.make.client()
    for (let n = 0; n < 60; n += 1) {
      await login(`192.0.2.${n}`, victim.username, 'guess')
    }
    const owner = await login('198.51.100.2', victim.username, PASSWORD)
    expect(owner.statusCode).toBe(200)
  })
})
