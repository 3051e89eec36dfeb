import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'

describe('my account', async () => {
  const t = await testApp()
  const NEW = 'another password'

  test('ends its other sessions and renews the current one when its password changes', async () => {
    const client = await t.make.client()
    const [here, elsewhere] = [t.as(client), t.as(client)]
    await Promise.all([here.call(api.auth.me), elsewhere.call(api.auth.me)])
    const answer = await here.attempt(api.account.changePassword, {
      body: { currentPassword: PASSWORD, newPassword: NEW },
    })
    expect(answer.status).toBe(204)
    expect((await elsewhere.attempt(api.auth.me)).status).toBe(401)
    expect((await here.attempt(api.auth.me)).status).toBe(401)
    expect((await t.with(answer.cookie ?? '').attempt(api.auth.me)).status).toBe(200)
    const login = (password: string) =>
      t.visitor.attempt(api.auth.login, { body: { username: client.username, password } })
    expect([(await login(PASSWORD)).status, (await login(NEW)).status]).toEqual([401, 200])
  })

  test('needs the current password, and a new one that is long enough', async () => {
    const me = t.as(await t.make.client())
    const change = (currentPassword: string, newPassword: string) =>
      me.attempt(api.account.changePassword, { body: { currentPassword, newPassword } })
    expect(await change('wrong', NEW)).toMatchObject({
      status: 400,
      body: { message: 'Your current password is not right.' },
    })
    expect(await change(PASSWORD, 'short')).toMatchObject({
      status: 400,
      body: { message: 'Password must be at least 8 characters' },
    })
    expect((await me.attempt(api.auth.me)).status).toBe(200)
  })

  test('lists its sessions, and ends one or all', async () => {
    const client = await t.make.client()
    const [here, elsewhere, third] = [t.as(client), t.as(client), t.as(client)]
    for (const one of [here, elsewhere, third]) await one.call(api.auth.me)
    const [first] = (await here.call(api.account.sessions)).filter((one) => !one.isCurrent)
    await here.call(api.account.endSession, { params: { id: first?.id ?? 0 } })
    expect(await here.call(api.account.sessions)).toHaveLength(2)
    await here.call(api.account.endSessions)
    for (const one of [here, elsewhere, third]) {
      expect((await one.attempt(api.auth.me)).status).toBe(401)
    }
  })

  test('does not find a session of another account', async () => {
    const other = t.as(await t.make.client())
    await other.call(api.auth.me)
    const [session] = await other.call(api.account.sessions)
    const me = t.as(await t.make.client())
    const answer = await me.attempt(api.account.endSession, { params: { id: session?.id ?? 0 } })
    expect(answer.status).toBe(404)
    expect((await other.attempt(api.auth.me)).status).toBe(200)
  })

  test('shows its own events, and none of others', async () => {
    const boss = await t.make.admin()
    const admin = t.as(boss)
    const client = await t.make.client()
    await t.visitor.attempt(api.auth.login, {
      body: { username: client.username, password: 'wrong' },
    })
    await admin.call(api.users.resetPassword, { params: { id: client.id } })
    await admin.call(api.simulation.start, { params: { userId: client.id } })
    const activity = await t.as(client).call(api.account.activity)
    expect(activity.map(({ action, by }) => `${action} by ${by}`)).toEqual([
      'simulation.start by admin',
      'user.reset-password by admin',
      'auth.login-failed by system',
    ])
    expect(await t.as(await t.make.client()).call(api.account.activity)).toEqual([])
    // The admin's actions on others are not events of the admin's own account.
    expect(await t.as(boss).call(api.account.activity)).toEqual([])
  })

  test('an admin reads the whole log, filtered and page by page', async () => {
    const actor = await t.make.admin()
    const admin = t.as(actor)
    for (let n = 0; n < 60; n += 1) {
      await admin.call(api.users.update, { params: { id: actor.id }, body: { firstName: `N${n}` } })
    }
    const query = { action: 'user.update', userId: actor.id }
    const first = await admin.call(api.audit.list, { query })
    expect(first.entries).toHaveLength(50)
    expect(first.actions).toContain('user.update')
    const second = await admin.call(api.audit.list, {
      query: { ...query, before: first.next ?? 0 },
    })
    expect([second.entries.length, second.next]).toEqual([10, null])
    expect(second.entries.every((entry) => entry.actor?.id === actor.id)).toBe(true)
  })

  test('the log is filtered by days, the last one included, and has larger pages for a file', async () => {
    const actor = await t.make.admin()
    const admin = t.as(actor)
    for (const firstName of ['Ann', 'Bea']) {
      await admin.call(api.users.update, { params: { id: actor.id }, body: { firstName } })
    }
    const query = { action: 'user.update', userId: actor.id }
    const all = await admin.call(api.audit.list, { query })
    const day = (offset: number) => {
      const at = Date.parse(all.entries[0]?.at ?? '') + offset * 86_400_000
      return new Date(at).toISOString().slice(0, 10)
    }
    const found = async (days: { from?: string; to?: string; limit?: number }) =>
      (await admin.call(api.audit.list, { query: { ...query, ...days } })).entries.length
    expect(await found({ from: day(0), to: day(0) })).toBe(2)
    expect(await found({ to: day(-1) })).toBe(0)
    expect(await found({ from: day(1) })).toBe(0)
    expect(await found({ limit: 1 })).toBe(1)
    for (const wrong of [{ from: '2026-02-30' }, { to: 'today' }, { limit: 5000 }]) {
      const answer = await admin.attempt(api.audit.list, { query: { ...query, ...wrong } })
      expect(answer.status).toBe(400)
    }
  })
})
