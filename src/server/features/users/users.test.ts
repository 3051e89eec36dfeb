import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { users } from '../../db/schema/accounts.ts'
import { tokens } from '../../db/schema/stock.ts'
import { PASSWORD } from '../../testing/factories.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const person = {
  firstName: 'Ada',
  lastName: 'Byron',
  mobileNumber: '0123456789',
  password: 'long enough',
  agreedToTerms: true,
} as const

describe('system users', async () => {
  const t = await testApp()
  const admin = t.as(await t.make.admin())
  const create = (values = {}) =>
    admin.call(api.users.create, { body: { ...person, email: t.make.email('ada'), ...values } })

  test('are created, listed and sign in', async () => {
    const made = await create()
    expect(made).toMatchObject({ firstName: 'Ada', role: 'client', isActive: true })
    expect(await admin.call(api.users.list)).toContainEqual(made)
    const signedIn = await t.visitor.attempt(api.auth.login, {
      body: { username: made.email ?? '', password: person.password },
    })
    expect(signedIn.status).toBe(200)
  })

  test.each([
    [{ firstName: 'A' }, 'First name must be at least 2 characters'],
    [{ lastName: 'B' }, 'Last name must be at least 2 characters'],
    [{ email: 'nobody' }, 'Please enter a valid email address'],
    [{ mobileNumber: '123' }, 'Please enter a valid mobile number'],
    [{ password: 'short' }, 'Password must be at least 8 characters'],
    [{ agreedToTerms: false }, 'You must agree to the terms of service'],
  ])('%j is refused: %s', async (wrong, message) => {
    const body = { ...person, email: t.make.email('x'), ...wrong } as typeof person & {
      email: string
    }
    const answer = await admin.attempt(api.users.create, { body })
    expect(answer).toMatchObject({ status: 400, body: { message } })
  })

  test('two accounts cannot share an e-mail, whatever its case', async () => {
    const { email } = await create()
    const answer = await admin.attempt(api.users.create, {
      body: { ...person, email: (email ?? '').toUpperCase() },
    })
    expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    const other = await create()
    const moved = await admin.attempt(api.users.update, {
      params: { id: other.id },
      body: { email: email ?? '' },
    })
    expect(moved.status).toBe(409)
  })

  test('a client created with an instance gets a password that is shown once', async () => {
    const made = await admin.call(api.users.createClient, {
      body: { email: t.make.email('inline') },
    })
    const signedIn = await t.visitor.attempt(api.auth.login, {
      body: { username: made.username, password: made.generatedPassword ?? '' },
    })
    expect(signedIn.status).toBe(200)
    const listed = await admin.call(api.users.clients)
    expect(listed.some(({ id }) => id === made.id)).toBe(true)
  })

  test('a reset password replaces the old one', async () => {
    const client = await t.make.client()
    const { newPassword } = await admin.call(api.users.resetPassword, {
      params: { id: client.id },
    })
    const login = async (password: string) =>
      (await t.visitor.attempt(api.auth.login, { body: { username: client.username, password } }))
        .status
    expect([await login(PASSWORD), await login(newPassword)]).toEqual([401, 200])
  })

  test('a deleted client cancels its tokens and frees its device; its number is never reused', async () => {
    const body = { agreedToTerms: true, deviceMacAddress: '0a:0b:0c:0d:0e:0f' } as const
    const made = await t.visitor.call(api.auth.register, { body })
    const [row] = await t.db.select().from(users).where(eq(users.username, made.username))
    const id = row?.id ?? 0
    await t.db.insert(tokens).values({
      tokenId: 'of-the-deleted',
      name: 'VPS',
      username: 'root',
      password: 'sealed',
      osType: 'Debian 12',
      status: 'assigned',
      assignedUserId: id,
    })
    await admin.call(api.users.remove, { params: { id } })
    const [token] = await t.db.select().from(tokens).where(eq(tokens.tokenId, 'of-the-deleted'))
    expect(token).toMatchObject({ status: 'cancelled', assignedUserId: null })
    const again = await t.visitor.call(api.auth.register, { body })
    expect(again.username).not.toBe(made.username)
  })

  test('only clients can be deleted', async () => {
    const other = await t.make.admin()
    const answer = await admin.attempt(api.users.remove, { params: { id: other.id } })
    expect(answer).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
  })

  test('a released device may register again', async () => {
    const body = { agreedToTerms: true, deviceMacAddress: '1a:1b:1c:1d:1e:1f' } as const
    const { username } = await t.visitor.call(api.auth.register, { body })
    const [row] = await t.db.select().from(users).where(eq(users.username, username))
    const released = await admin.call(api.users.releaseDevice, { params: { id: row?.id ?? 0 } })
    expect(released.hasDevice).toBe(false)
    await t.visitor.call(api.auth.register, { body })
  })

  test('an unknown account is 404 for every call', async () => {
    const params = { id: 2_000_000_000 }
    const answers = await Promise.all([
      admin.attempt(api.users.update, { params, body: { firstName: 'Ada' } }),
      admin.attempt(api.users.remove, { params }),
      admin.attempt(api.users.resetPassword, { params }),
      admin.attempt(api.users.releaseDevice, { params }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })
})

describe.each(EACH_DATABASE)('the last administrator on %s', async (database) => {
  const t = await testApp({ database })

  test('remains, even if several leave at once', async () => {
    const admins = await Promise.all(Array.from({ length: 6 }, () => t.make.admin()))
    const [first] = admins
    if (!first) throw new Error('no admin')
    const answers = await Promise.all(
      admins.map(({ id }, index) =>
        t.as(first).attempt(api.users.update, {
          params: { id },
          body: index % 2 === 0 ? { role: 'client' } : { isActive: false },
        }),
      ),
    )
    const left = (await t.db.select().from(users)).filter(
      (user) => user.role === 'admin' && user.isActive,
    )
    expect(left.length).toBeGreaterThanOrEqual(1)
    expect(answers.every(({ status }) => [200, 401, 403, 409].includes(status))).toBe(true)
  })

  test('remains after sixteen concurrent demotions of four, all of them answered', async () => {
    await t.db.update(users).set({ isActive: false })
    const admins = await Promise.all(Array.from({ length: 4 }, () => t.make.admin()))
    // Created last, so that transactions that lock rows by id do not first meet on a row that never
    // changes.
    const operator = await t.make.admin()
    const callers = Array.from({ length: 16 }, () => t.as(operator))
    for (let round = 0; round < 5; round += 1) {
      await t.db.update(users).set({ role: 'admin' }).where(eq(users.isActive, true))
      const answers = await Promise.all(
        callers.map((caller, index) =>
          caller.attempt(api.users.update, {
            params: { id: admins[index % 4]?.id ?? 0 },
            body: { role: 'client' },
          }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(callers.map(() => 200))
    }
    const left = (await t.db.select().from(users)).filter(({ role, isActive }) => {
      return role === 'admin' && isActive
    })
    expect(left.map(({ id }) => id)).toEqual([operator.id])
  })

  test('is told why', async () => {
    await t.db.update(users).set({ isActive: false })
    const admin = await t.make.admin()
    for (const body of [{ role: 'client' }, { isActive: false }] as const) {
      const answer = await t.as(admin).attempt(api.users.update, { params: { id: admin.id }, body })
      expect(answer).toMatchObject({ status: 409, body: { code: 'LAST_ADMIN' } })
    }
  })
})

test('the network of a registration is truncated, and deleted after 30 days', async () => {
  const clock = testClock()
  const t = await testApp({ clock })
  await t.app.inject({
    method: 'POST',
    url: '/api/auth/register',
    remoteAddress: '203.0.113.77',
    payload: { agreedToTerms: true, deviceMacAddress: '2a:2b:2c:2d:2e:2f' },
  })
  const addresses = async () => (await t.db.select().from(users)).map((row) => row.registrationIp)
  expect(await addresses()).toEqual(['203.0.113.0/24'])
  await t.db.update(users).set({ createdAt: clock.now() })
  const { usersService } = await import('./users.service.ts')
  const { createParts } = await import('../../parts.ts')
  const service = usersService(createParts(t.deps))
  clock.advance(29 * DAY_MS)
  await service.forgetAddresses()
  expect(await addresses()).toEqual(['203.0.113.0/24'])
  clock.advance(2 * DAY_MS)
  await service.forgetAddresses()
  expect(await addresses()).toEqual([null])
})
