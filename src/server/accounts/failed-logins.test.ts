import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { failedLogins } from '../db/schema/accounts.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'

describe.each(EACH_DATABASE)('failed sign-ins on %s', async (database) => {
  const clock = testClock(new Date('2026-11-15T12:34:00Z'))
  const t = await testApp({ database, clock })
  const guess = (username: string | null) =>
    t.visitor.attempt(api.auth.login, { body: { username: username ?? '', password: 'guess' } })

  test('are shown to their account with the time of the last one, in order with the rest', async () => {
    const client = await t.make.client()
    const boss = t.as(await t.make.admin())
    const activity = async () =>
      (await t.as(client).call(api.account.activity)).map(({ action, at, times }) => ({
        action,
        at: new Date(at).toISOString(),
        times,
      }))
    await guess(client.username)
    const failed = { action: 'auth.login-failed', times: 1 }
    expect(await activity()).toEqual([{ ...failed, at: '2026-11-15T12:34:00.000Z' }])

    clock.advance(5 * MINUTE_MS)
    await boss.call(api.users.resetPassword, { params: { id: client.id } })
    const reset = { action: 'user.reset-password', at: '2026-11-15T12:39:00.000Z', times: 1 }
    clock.advance(5 * MINUTE_MS)
    await guess(client.username)
    expect(await activity()).toEqual([
      { ...failed, at: '2026-11-15T12:44:00.000Z', times: 2 },
      reset,
    ])

    clock.advance(HOUR_MS)
    await guess(client.username)
    expect(await activity()).toEqual([
      { ...failed, at: '2026-11-15T13:44:00.000Z' },
      { ...failed, at: '2026-11-15T12:44:00.000Z', times: 2 },
      reset,
    ])
  })

  test('without the time of the last one, in older rows, are shown with their hour', async () => {
    const client = await t.make.client()
    const hour = new Date('2026-11-15T09:00:00Z')
    await t.db.insert(failedLogins).values({ hour, userId: client.id, count: 3 })
    const [shown] = await t.as(client).call(api.account.activity)
    expect(shown).toMatchObject({ times: 3 })
    expect(new Date(shown?.at ?? 0)).toEqual(hour)
  })
})
