import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { sessions, users } from '../db/schema/accounts.ts'
import { testApp, testClock } from '../testing/test-app.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('a session', async () => {
  const clock = testClock()
  const t = await testApp({ clock })
  const statusOf = async (who: ReturnType<typeof t.as>) => (await who.attempt(api.auth.me)).status

  test('is stored only as a hash', async () => {
    const client = await t.make.client()
    const cookie = (await t.as(client).cookie) ?? ''
    const [row] = await t.db.select().from(sessions).where(eq(sessions.userId, client.id))
    expect(row?.tokenHash).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(row)).not.toContain(cookie)
  })

  test('of a client ends unused after a day, of an admin after half an hour', async () => {
    const client = t.as(await t.make.client())
    const admin = t.as(await t.make.admin())
    expect([await statusOf(client), await statusOf(admin)]).toEqual([200, 200])
    clock.advance(31 * MINUTE)
    expect([await statusOf(client), await statusOf(admin)]).toEqual([200, 401])
    clock.advance(25 * HOUR)
    expect(await statusOf(client)).toBe(401)
  })

  test('of an admin ends after twelve hours, however busy', async () => {
    const admin = t.as(await t.make.admin())
    for (let minutes = 0; minutes < 12 * 60; minutes += 20) {
      expect(await statusOf(admin)).toBe(200)
      clock.advance(20 * MINUTE)
    }
    expect(await statusOf(admin)).toBe(401)
  })

  test.each([
    ['deactivated', { isActive: false }],
    ['made an admin', { role: 'admin' }],
  ] as const)('ends with the next request when its user is %s', async (_what, patch) => {
    const admin = t.as(await t.make.admin())
    const client = await t.make.client()
    const me = t.as(client)
    expect(await statusOf(me)).toBe(200)
    await admin.call(api.users.update, { params: { id: client.id }, body: patch })
    expect(await statusOf(me)).toBe(401)
  })

  test('ends when the password is reset or the account deleted', async () => {
    const admin = t.as(await t.make.admin())
    const client = await t.make.client()
    const before = t.as(client)
    expect(await statusOf(before)).toBe(200)
    await admin.call(api.users.resetPassword, { params: { id: client.id } })
    expect(await statusOf(before)).toBe(401)
    const after = t.as(client)
    expect(await statusOf(after)).toBe(200)
    await admin.call(api.users.remove, { params: { id: client.id } })
    expect(await statusOf(after)).toBe(401)
  })

  test('is deleted once it is over', async () => {
    const client = await t.make.client()
    await t.as(client).cookie
    clock.advance(31 * 24 * HOUR)
    await t.sessions.prune()
    expect(await t.db.select().from(sessions)).toEqual([])
    expect(await t.db.select().from(users)).not.toEqual([])
  })
})
