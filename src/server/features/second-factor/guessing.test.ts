import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { withSecondFactor } from '../../second-factor/testing/app-of.ts'
import { PASSWORD } from '../../testing/factories.ts'
import { testApp, testClock } from '../../testing/test-app.ts'

/** A thief of the password, from a new address for each guess. */
describe('guessing the code with the right password', async () => {
  const clock = testClock()
  const first = await testApp({ clock, env: { RATE_LIMIT_SCALE: '1' } })
  const second = await testApp({ clock, env: { RATE_LIMIT_SCALE: '1' }, on: first.database })
  const login = (
    { app }: typeof first,
    remoteAddress: string,
    body: { username: string; password: string; code: string },
  ) => app.inject({ method: 'POST', url: '/api/auth/login', remoteAddress, payload: body })

  test('is limited over all processes, and the owner still gets in with a recovery code', async () => {
    const client = await first.make.client()
    const { code, recoveryCodes } = await withSecondFactor(first, client, clock)
    const known = { username: client.username, password: PASSWORD }
    const guesses = []
    for (let n = 0; n < 30; n += 1) {
      const app = n % 2 === 0 ? first : second
      guesses.push(login(app, `198.51.${n}.1`, { ...known, code: wrongCode(code, n) }))
    }
    const statuses = (await Promise.all(guesses)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401)).toHaveLength(8)
    expect(statuses.filter((status) => status === 429)).toHaveLength(22)
    const right = await login(first, '203.0.113.1', { ...known, code: code() })
    expect(right.statusCode).toBe(429)
    expect(right.json().message).toContain('or enter a recovery code')
    const paper = await login(second, '203.0.113.2', { ...known, code: recoveryCodes[0] ?? '' })
    expect(paper.statusCode).toBe(200)
  })

  test('does not use up the tries of an open session', async () => {
    const client = await first.make.client()
    const { me, code } = await withSecondFactor(first, client, clock)
    const known = { username: client.username, password: PASSWORD }
    for (let n = 0; n < 10; n += 1) {
      await login(first, `198.18.${n}.1`, { ...known, code: wrongCode(code, n) })
    }
    const proof = await me.attempt(api.secondFactor.prove, { body: { code: code() } })
    expect(proof.status).toBe(204)
  })

  test('a stranger without the password uses none of the tries up', async () => {
    const client = await first.make.client()
    const { code } = await withSecondFactor(first, client, clock)
    const { username } = client
    for (let n = 0; n < 20; n += 1) {
      const body = { username, password: 'a guess of it', code: wrongCode(code, n) }
      await login(first, `192.0.2.${n}`, body)
    }
    const owner = await login(first, '203.0.113.9', { username, password: PASSWORD, code: code() })
    expect(owner.statusCode).toBe(200)
  })
})

/** None of the three codes that count now. */
function wrongCode(code: (steps?: number) => string, n: number): string {
  const right = [code(-1), code(), code(1)]
  let guess = n
  while (right.includes(String(guess).padStart(6, '0'))) guess += 100
  return String(guess).padStart(6, '0')
}

test('ten thousand guesses from one network cost at most sixty hashes, and open nothing', async () => {
  const clock = testClock()
  const t = await testApp({ clock, env: { RATE_LIMIT_SCALE: '1' } })
  const client = await t.make.client()
  const { code } = await withSecondFactor(t, client, clock)
  const known = { username: client.username, password: PASSWORD }
  const counts = new Map<number, number>()
  for (let wave = 0; wave < 100; wave += 1) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, k) =>
        t.visitor.attempt(api.auth.login, {
          body: { ...known, code: wrongCode(code, wave * 100 + k) },
        }),
      ),
    )
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  expect(counts.get(200)).toBeUndefined()
  expect(counts.get(401)).toBe(8)
  expect(counts.get(429)).toBe(9992)
})
