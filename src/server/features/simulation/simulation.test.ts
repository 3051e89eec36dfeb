import { desc, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog, users } from '../../db/schema/accounts.ts'
import { testApp, testClock } from '../../testing/test-app.ts'

describe('simulation', async () => {
  const clock = testClock()
  const t = await testApp({ clock })
  const admin = await t.make.admin()

  /** Starts simulating; returns the browser before and after. */
  async function simulate(userId: number) {
    const before = t.as(admin)
    const answer = await before.attempt(api.simulation.start, { params: { userId } })
    return { before, answer, during: t.with(answer.cookie ?? '') }
  }

  test("shows the client's view, with the admin named beside it", async () => {
    const client = await t.make.client()
    const { before, answer, during } = await simulate(client.id)
    expect(answer.body.simulatingUser).toMatchObject({ username: client.username })
    expect(await during.call(api.auth.me)).toMatchObject({
      id: client.id,
      role: 'client',
      isSimulated: true,
      adminUser: { email: admin.email },
    })
    expect((await before.attempt(api.auth.me)).status).toBe(401)
  })

  test('refuses calls reserved to the client, and every admin call', async () => {
    const { during } = await simulate((await t.make.client()).id)
    const password = await during.attempt(api.account.changePassword, {
      body: { currentPassword: 'x', newPassword: 'long enough' },
    })
    expect(password).toMatchObject({ status: 403, body: { code: 'NOT_WHILE_SIMULATING' } })
    const purchase = await during.attempt(api.marketplace.purchase, { params: { tokenId: '1' } })
    expect(purchase.status).toBe(403)
    expect((await during.attempt(api.users.list)).status).toBe(403)
    const nested = await during.attempt(api.simulation.start, { params: { userId: 1 } })
    expect(nested.status).toBe(403)
  })

  test('ends on request under a new session id', async () => {
    const { during } = await simulate((await t.make.client()).id)
    const ended = await during.attempt(api.simulation.end)
    expect(ended.status).toBe(204)
    expect((await during.attempt(api.auth.me)).status).toBe(401)
    expect(await t.with(ended.cookie ?? '').call(api.auth.me)).toMatchObject({ id: admin.id })
  })

  test('tells the pages and consoles of the admin at its start and its end', async () => {
    const client = await t.make.client()
    const told: unknown[] = []
    const stop = t.deps.events.subscribe([`user:${admin.id}`], ({ body }) => void told.push(body))
    const { during } = await simulate(client.id)
    await expect.poll(() => told).toEqual([{ type: 'signed-out' }])
    await during.call(api.simulation.end)
    await expect.poll(() => told).toEqual([{ type: 'signed-out' }, { type: 'signed-out' }])
    stop()
  })

  test('ends automatically after half an hour', async () => {
    const { during } = await simulate((await t.make.client()).id)
    clock.advance(29 * 60_000)
    expect(await during.call(api.auth.me)).toMatchObject({ isSimulated: true })
    clock.advance(2 * 60_000)
    expect(await during.call(api.auth.me)).toMatchObject({ id: admin.id, role: 'admin' })
  })

  test('ends with the next request when the client is deactivated or deleted', async () => {
    const other = t.as(await t.make.admin())
    for (const act of ['deactivate', 'delete'] as const) {
      const client = await t.make.client()
      const { during } = await simulate(client.id)
      const params = { id: client.id }
      if (act === 'delete') await other.call(api.users.remove, { params })
      else await other.call(api.users.update, { params, body: { isActive: false } })
      expect(await during.call(api.auth.me)).toMatchObject({ id: admin.id })
    }
  })

  test('ends when the admin loses the role', async () => {
    const leaving = await t.make.admin()
    const client = await t.make.client()
    const started = await t.as(leaving).attempt(api.simulation.start, {
      params: { userId: client.id },
    })
    await t.db.update(users).set({ role: 'client' }).where(eq(users.id, leaving.id))
    const me = await t.with(started.cookie ?? '').attempt(api.auth.me)
    expect(me.body.id).not.toBe(client.id)
  })

  test.each([
    ['an admin', { role: 'admin' as const }, 'Cannot simulate admin'],
    ['an inactive client', { isActive: false }, 'Only active users can be simulated.'],
  ])('%s is refused', async (_who, values, message) => {
    const user = await t.make.client(values)
    const { answer } = await simulate(user.id)
    expect(answer).toMatchObject({ status: 409, body: { message } })
  })

  test('records both identities in the audit log', async () => {
    const client = await t.make.client()
    const { during } = await simulate(client.id)
    await during.attempt(api.simulation.end)
    const [last] = await t.db.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1)
    expect(last).toMatchObject({
      action: 'simulation.end',
      actorId: client.id,
      adminId: admin.id,
    })
  })
})
