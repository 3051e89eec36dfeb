import { eq, sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { UNATTENDED } from '#shared/api/parts/request.ts'
import { packedRow } from '../db/packed.ts'
import { sessions, users } from '../db/schema/accounts.ts'
import { atEnd } from '../testing/at-end.ts'
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

  test('of an admin ends after half an hour without a person, whatever its pages ask by themselves', async () => {
    const admin = await t.make.admin()
    const { token } = await t.sessions.start(t.db, admin, 'Vitest')
    const poll = async (url: string, headers: Record<string, string> = { [UNATTENDED]: '1' }) =>
      (await t.app.inject({ url, headers: { cookie: `hushbox=${token}`, ...headers } })).statusCode
    for (const _minutes of [10, 20, 30]) {
      expect(await poll(api.auth.me.path)).toBe(200)
      // Its parameters are refused after the session was looked up.
      expect(await poll(`${api.events.stream.path}?age=-1`, {})).toBe(400)
      expect(await t.sessions.resolve(token, { isUse: false })).toBeDefined()
      clock.advance(10 * MINUTE)
    }
    clock.advance(MINUTE)
    expect(await t.sessions.listOf(admin)).toEqual([])
    expect(await poll(api.auth.me.path)).toBe(401)
  })

  test('answers although its last use cannot be noted', async () => {
    const { token } = await t.sessions.start(t.db, await t.make.client(), 'Vitest')
    clock.advance(5 * MINUTE)
    const update = vi.spyOn(t.db, 'update').mockImplementation(() => {
      throw new Error('cannot execute UPDATE in a read-only transaction')
    })
    atEnd(() => update.mockRestore())
    expect(await t.sessions.resolve(token)).toBeDefined()
    expect(update).toHaveBeenCalledOnce()
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

  /** An admin's session that shows the product as a client. Resolves to who it acts as. */
  const simulation = async (client: { id: number }) => {
    const admin = await t.make.admin()
    const { token: cookie } = await t.sessions.start(t.db, admin, 'Vitest')
    const own = await t.sessions.resolve(cookie)
    const { token } = await t.sessions.rotate(t.db, own?.sessionId ?? 0, { userId: client.id })
    return async () => {
      const actor = await t.sessions.resolve(token)
      return actor && { user: actor.user.id, isSimulating: actor.admin?.id === admin.id }
    }
  }

  test.each([
    ['inactive', { isActive: false }],
    ['an admin', { role: 'admin' }],
  ] as const)('simulates no client who is %s by now', async (_what, patch) => {
    const client = await t.make.client()
    const actor = await simulation(client)
    expect(await actor()).toEqual({ user: client.id, isSimulating: true })
    // Written directly: whatever changes an account also ends its simulations.
    await t.db.update(users).set(patch).where(eq(users.id, client.id))
    expect(await actor()).toMatchObject({ isSimulating: false })
    expect((await actor())?.user).not.toBe(client.id)
  })

  test('is found together with a row that a route reads, and no row without a session', async () => {
    const resolve = t.sessions.resolveWith(
      'test_account',
      packedRow(
        { username: users.username },
        sql`${users} where ${users.id} = ${sql.placeholder('id')}`,
      ),
    )
    const [client, other] = [await t.make.client(), await t.make.client()]
    const { token } = await t.sessions.start(t.db, client, 'Vitest')
    const found = await resolve(token, { id: other.id })
    expect(found).toEqual({
      actor: await t.sessions.resolve(token),
      row: { username: other.username },
    })
    expect(await resolve(token, { id: 0 })).toMatchObject({ row: null })
    expect(await resolve('made-up', { id: other.id })).toBeUndefined()
    await t.db.update(users).set({ isActive: false }).where(eq(users.id, client.id))
    expect(await resolve(token, { id: other.id })).toBeUndefined()
  })

  test('is the only one left when its user ends all the others, and nobody simulates that user', async () => {
    const client = await t.make.client()
    const [kept, other] = [
      await t.sessions.start(t.db, client, 'Vitest'),
      await t.sessions.start(t.db, client, 'Vitest'),
    ]
    const bystander = await t.sessions.start(t.db, await t.make.client(), 'Vitest')
    const actor = await simulation(client)
    const { sessionId } = (await t.sessions.resolve(kept.token)) ?? { sessionId: 0 }
    await t.sessions.endAllOf(t.db, client.id, sessionId)
    expect(await t.sessions.resolve(kept.token)).toMatchObject({ sessionId })
    expect(await t.sessions.resolve(other.token)).toBeUndefined()
    expect(await t.sessions.resolve(bystander.token)).toBeDefined()
    expect(await actor()).toMatchObject({ isSimulating: false })
    const [left] = await t.db.select().from(sessions).where(eq(sessions.simulatedUserId, client.id))
    expect(left).toBeUndefined()
  })

  test('is deleted once it was unused for a day, although it would have lasted a month', async () => {
    const [unused, used] = [await t.make.client(), await t.make.client()]
    await t.as(unused).cookie
    const busy = t.as(used)
    await busy.cookie
    clock.advance(20 * HOUR)
    expect(await statusOf(busy)).toBe(200)
    clock.advance(5 * HOUR)
    await t.sessions.prune()
    const left = await t.db.select({ userId: sessions.userId }).from(sessions)
    expect(left).toContainEqual({ userId: used.id })
    expect(left).not.toContainEqual({ userId: unused.id })
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
