import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { ROLES, type Role } from '#shared/rules/people/roles.ts'
import { auditLog, users } from '../../db/schema/accounts.ts'
import { testApp } from '../../testing/test-app.ts'

const NEWCOMER = {
  firstName: 'Ada',
  lastName: 'Byron',
  mobileNumber: '0123456789',
  password: 'correct horse battery',
  agreedToTerms: true,
} as const

describe('a role', async () => {
  const t = await testApp()
  const make = (role: Role) => t.make.admin({ role })
  const roleOf = async (id: number) =>
    (await t.db.select().from(users).where(eq(users.id, id)))[0]?.role
  const give = (by: { id: number; role: string }, to: { id: number }, role: Role) =>
    t.as(by).attempt(api.users.update, { params: { id: to.id }, body: { role } })

  test.each(ROLES)('is given by an owner: %s', async (role) => {
    const target = await t.make.client()
    const answer = await give(await make('admin'), target, role)
    expect(answer).toMatchObject({ status: 200, body: { role } })
  })

  test('can be called owner, and is shown as admin', async () => {
    const { app, make: made } = t
    const cookie = (await t.as(await make('admin')).cookie) ?? ''
    const target = await made.client()
    const reply = await app.inject({
      method: 'PATCH',
      url: `/api/admin/users/${target.id}`,
      cookies: { hushbox: cookie },
      payload: { role: 'owner' },
    })
    expect([reply.statusCode, reply.json().role]).toEqual([200, 'admin'])
  })

  test('that nobody knows is refused with the ones there are', async () => {
    const target = await t.make.client()
    const body = { role: 'root' as Role }
    const answer = await t
      .as(await make('admin'))
      .attempt(api.users.update, { params: { id: target.id }, body })
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    expect(answer.body.message).toContain('viewer')
    expect(await roleOf(target.id)).toBe('client')
  })

  test('of an operator gives every role but the owner’s', async () => {
    const operator = await make('operator')
    for (const role of ROLES) {
      const target = await t.make.client()
      const { status } = await give(operator, target, role)
      expect([role, status]).toEqual([role, role === 'admin' ? 403 : 200])
      expect(await roleOf(target.id)).toBe(role === 'admin' ? 'client' : role)
    }
  })

  test('of an operator creates no owner, by either call', async () => {
    const me = t.as(await make('operator'))
    const email = t.make.email('raised')
    const calls = [
      me.attempt(api.users.create, { body: { ...NEWCOMER, email, role: 'admin' } }),
      me.attempt(api.users.createClient, { body: { email, role: 'owner' } }),
    ]
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([403, 403])
    expect(await t.db.select().from(users).where(eq(users.email, email))).toEqual([])
    const { status } = await me.attempt(api.users.create, {
      body: { ...NEWCOMER, email, role: 'billing' },
    })
    expect(status).toBe(201)
  })

  test('of an operator is no way into an owner’s account', async () => {
    const me = t.as(await make('operator'))
    const owner = await make('admin')
    const params = { id: owner.id }
    const before = (await t.db.select().from(users).where(eq(users.id, owner.id)))[0]
    const calls = [
      me.attempt(api.users.update, { params, body: { email: t.make.email('mine') } }),
      me.attempt(api.users.update, { params, body: { isActive: false } }),
      me.attempt(api.users.update, { params, body: { role: 'client' } }),
      me.attempt(api.users.resetPassword, { params }),
      me.attempt(api.users.resetSecondFactor, { params }),
      me.attempt(api.users.releaseDevice, { params }),
    ]
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses).toEqual(calls.map(() => 403))
    expect((await t.db.select().from(users).where(eq(users.id, owner.id)))[0]).toEqual(before)
  })

  test('of support gives no role at all', async () => {
    const support = await make('support')
    const target = await t.make.client()
    for (const role of ['support', 'viewer'] as const) {
      expect((await give(support, target, role)).status).toBe(403)
    }
    const { status } = await t
      .as(support)
      .attempt(api.users.releaseDevice, { params: { id: target.id } })
    expect(status).toBe(200)
  })

  test('of one’s own is changed by somebody else', async () => {
    const [operator, owner] = [await make('operator'), await make('admin')]
    for (const [who, role] of [
      [operator, 'admin'],
      [operator, 'viewer'],
      [owner, 'operator'],
    ] as const) {
      const answer = await give(who, who, role)
      expect(answer).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
      expect(await roleOf(who.id)).toBe(who.role)
    }
  })

  test('of the last owner stays, whatever the others are', async () => {
    await t.db.update(users).set({ isActive: false })
    const [owner] = [await make('admin'), await make('operator')]
    const answer = await give(owner, owner, 'operator')
    expect(answer).toMatchObject({ status: 409, body: { code: 'LAST_ADMIN' } })
    expect(await roleOf(owner.id)).toBe('admin')
  })

  test('of an owner stays with one of two who make each other operators at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      await t.db.update(users).set({ isActive: false })
      const [one, other] = [await make('admin'), await make('admin')]
      const [mine, theirs] = [t.as(one), t.as(other)]
      await Promise.all([mine.cookie, theirs.cookie])
      const answers = await Promise.all([
        mine.attempt(api.users.update, { params: { id: other.id }, body: { role: 'operator' } }),
        theirs.attempt(api.users.update, { params: { id: one.id }, body: { role: 'operator' } }),
      ])
      // The second is refused: no longer an owner by then, or signed out already.
      const [first, second] = answers.map(({ status }) => status).toSorted((a, b) => a - b)
      expect(first).toBe(200)
      expect([401, 403]).toContain(second)
      const left = [await roleOf(one.id), await roleOf(other.id)]
      expect(left.toSorted()).toEqual(['admin', 'operator'])
    }
  })

  test('that changes ends every session, and the next one has the new rights', async () => {
    const [owner, target] = [await make('admin'), await make('operator')]
    const before = t.as(target)
    expect(
      (await before.attempt(api.tokens.nextAddress, { query: { nodeId: 1 } })).status,
    ).not.toBe(403)
    await give(owner, target, 'viewer')
    expect((await before.attempt(api.tokens.list)).status).toBe(401)
    const after = t.as({ ...target, role: 'viewer' })
    expect((await after.attempt(api.tokens.list)).status).toBe(200)
    expect((await after.attempt(api.sync.instances)).status).toBe(403)
  })

  test('that changes is in the audit log, with both', async () => {
    const [owner, target] = [await make('admin'), await make('viewer')]
    await give(owner, target, 'billing')
    const [entry] = await t.db.select().from(auditLog).where(eq(auditLog.subjectId, target.id))
    expect(entry).toMatchObject({
      action: 'user.update',
      actorId: owner.id,
      details: { role: { from: 'viewer', to: 'billing' } },
    })
  })

  test('of support gives a simulation no more than support may', async () => {
    const support = t.as(await make('support'))
    const client = await t.make.client()
    const { cookie = '' } = await support.attempt(api.simulation.start, {
      params: { userId: client.id },
    })
    const simulating = t.with(cookie)
    const me = await simulating.call(api.auth.me)
    expect(me).toMatchObject({ role: 'client', duties: ['look', 'help'] })
    expect((await simulating.attempt(api.client.tokens)).status).toBe(200)
    const params = { id: 2_000_000_000 }
    expect((await simulating.attempt(api.consoles.ticket, { params })).status).toBe(403)
    expect((await simulating.attempt(api.instances.status, { params })).status).toBe(404)
    expect((await simulating.attempt(api.simulation.end)).status).toBe(204)
  })

  test.each(['billing', 'viewer'] as const)('of %s simulates nobody', async (role) => {
    const client = await t.make.client()
    const answer = await t
      .as(await make(role))
      .attempt(api.simulation.start, { params: { userId: client.id } })
    expect(answer.status).toBe(403)
  })
})
