import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { RequestOf, Route } from '#shared/api/parts/route.ts'
import { API_KEYS_MAX } from '#shared/api/people/api-keys.ts'
import { KEY_SCOPES } from '#shared/rules/people/key-scopes.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { auditLog, settings, users } from '../../db/schema/accounts.ts'
import { apiKeys } from '../../db/schema/ssh-keys.ts'
import { VM_PASSWORD } from '../../testing/factories.ts'
import { type Person, testApp, testClock } from '../../testing/test-app.ts'

type Wish = RequestOf<typeof api.apiKeys.create>['body']

describe('an API key', async () => {
  const clock = testClock()
  const t = await testApp({ clock, sim: true })
  const wish = (more: Partial<Wish> = {}): Wish => ({
    name: 'backup script',
    scopes: ['servers:read'],
    ...more,
  })
  const create = (who: Person, more: Partial<Wish> = {}) =>
    t.as(who).attempt(api.apiKeys.create, { body: wish(more) })
  const keyOf = async (who: Person, more: Partial<Wish> = {}) => {
    const { body, status } = await create(who, more)
    if (status !== 201) throw new Error(body.message)
    return body
  }
  /** Calls with a key, from this address. */
  const by = async (
    key: string,
    route: Route,
    {
      id,
      headers = {},
      from = '203.0.113.7',
    }: { id?: number; headers?: object; from?: string } = {},
  ) => {
    const reply = await t.app.inject({
      method: route.method,
      url: route.path.replace(':id', String(id ?? 0)),
      headers: { authorization: `Bearer ${key}`, ...headers },
      remoteAddress: from,
    })
    return { status: reply.statusCode, headers: reply.headers, body: reply.json() }
  }

  test('is shown once, and stored as a keyed hash', async () => {
    const me = await t.make.client()
    const made = await keyOf(me)
    expect(made.key).toMatch(/^hbx_[\w-]{43}$/)
    const rows = await t.db.select().from(apiKeys).where(eq(apiKeys.userId, me.id))
    expect(JSON.stringify(rows)).not.toContain(made.key)
    const [listed] = await t.as(me).call(api.apiKeys.list)
    expect(listed).toEqual(expect.not.objectContaining({ key: expect.anything() }))
    expect(listed).toMatchObject({ name: 'backup script', hint: made.key.slice(0, 8) })
    // Another secret, another hash: the table alone does not tell whether a guess is right.
    const [stored] = await t.db.select().from(settings).where(eq(settings.key, 'api-key-hash'))
    expect(stored?.value).toMatch(/^v1:/)
  })

  test('calls for its account, and not by its cookie', async () => {
    const [me, other] = [await t.make.client(), await t.make.client()]
    const { key } = await keyOf(me)
    expect((await by(key, api.auth.me)).body).toMatchObject({ id: me.id })
    const cookie = `hushbox=${await t.as(other).cookie}`
    const answer = await by(key, api.auth.me, { headers: { cookie } })
    expect(answer.body).toMatchObject({ id: me.id })
    const wrong = await by(`${key.slice(0, -1)}_`, api.auth.me, { headers: { cookie } })
    expect(wrong).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
  })

  test('is not asked where a call comes from, unlike a cookie', async () => {
    const me = await t.make.client()
    const { instance } = await t.make.owned(t.cluster, 100, me)
    const { key } = await keyOf(me, { scopes: ['servers:power'] })
    const headers = { origin: 'https://elsewhere.test', 'sec-fetch-site': 'cross-site' }
    const start = { id: instance.id, headers }
    expect((await by(key, api.instances.start, start)).status).not.toBe(403)
    const cookie = `hushbox=${await t.as(me).cookie}`
    const reply = await t.app.inject({
      method: 'POST',
      url: `/api/instances/${instance.id}/start`,
      headers: { ...headers, cookie },
    })
    expect(reply.json()).toMatchObject({ code: 'CROSS_SITE' })
  })

  test.each(KEY_SCOPES)('with %s opens the routes of that scope alone', async (scope) => {
    const { key } = await keyOf(await t.make.client(), { scopes: [scope] })
    const refused = Object.values(api)
      .flatMap((group) => Object.values<Route>(group))
      .filter((route) => route.access !== 'public')
      .filter((route) => route.scope !== scope && route.scope !== 'any')
    for (const route of refused) {
      const { status, body } = await by(key, route, { id: 2_000_000_000 })
      expect([route.path, status, body.code]).toEqual([route.path, 403, 'FORBIDDEN'])
    }
  })

  test('never reaches a password, a second factor, a recovery or another key', () => {
    const scoped = Object.values(api)
      .flatMap((group) => Object.values<Route>(group))
      .filter(({ scope }) => scope !== undefined)
      .map(({ method, path }) => `${method} ${path}`)
    const never =
      /\/api\/(account|admin|auth\/(?!me))|password|reveal|totp|recover|transfer|vouchers/
    expect(scoped.filter((route) => never.test(route))).toEqual([])
    expect(scoped.length).toBeGreaterThan(40)
  })

  test('shows no login of a server', async () => {
    const me = await t.make.client()
    await t.make.owned(t.cluster, 101, me)
    const { key } = await keyOf(me)
    for (const route of [api.client.tokens, api.client.instances]) {
      const { status, body } = await by(key, route)
      expect([status, body.length]).toEqual([200, 1])
      expect(JSON.stringify(body)).not.toContain(VM_PASSWORD)
    }
  })

  test('ends at its time', async () => {
    const expiresAt = new Date(clock.now().getTime() + HOUR_MS).toISOString()
    const me = await t.make.client()
    const { key } = await keyOf(me, { expiresAt })
    expect((await by(key, api.auth.me)).status).toBe(200)
    clock.advance(HOUR_MS)
    expect((await by(key, api.auth.me)).status).toBe(401)
    expect(await t.as(me).call(api.apiKeys.list)).toMatchObject([{ isExpired: true }])
    const late = await create(me, { expiresAt })
    expect(late).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('still to come') },
    })
  })

  test('ends when it is revoked, by its owner alone', async () => {
    const [me, other] = [await t.make.client(), await t.make.client()]
    const { key, id } = await keyOf(me)
    const params = { id }
    expect((await t.as(other).attempt(api.apiKeys.revoke, { params })).status).toBe(404)
    expect((await by(key, api.auth.me)).status).toBe(200)
    expect((await t.as(me).attempt(api.apiKeys.revoke, { params })).status).toBe(204)
    expect((await by(key, api.auth.me)).status).toBe(401)
    const log = await t.db.select().from(auditLog).where(eq(auditLog.subjectId, me.id))
    expect(log.map(({ action }) => action)).toEqual([
      'account.add-api-key',
      'account.revoke-api-key',
    ])
  })

  test.each([
    ['is deactivated', { isActive: false }],
    ['becomes an operator', { role: 'operator' }],
  ] as const)('does not work once its account %s', async (_what, patch) => {
    const me = await t.make.client()
    const { key } = await keyOf(me)
    // Written directly: the call that changes a role also deletes the keys.
    await t.db.update(users).set(patch).where(eq(users.id, me.id))
    expect((await by(key, api.auth.me)).status).toBe(401)
  })

  test('ends with a new role and with a password that an operator sets', async () => {
    const boss = t.as(await t.make.admin())
    const [one, two] = [await t.make.client(), await t.make.client()]
    await keyOf(one)
    await keyOf(two)
    await boss.call(api.users.update, { params: { id: one.id }, body: { role: 'viewer' } })
    await boss.call(api.users.resetPassword, { params: { id: two.id } })
    for (const { id } of [one, two]) {
      expect(await t.db.$count(apiKeys, eq(apiKeys.userId, id))).toBe(0)
    }
  })

  test('is used only from its networks', async () => {
    const cidrs = ['203.0.113.9/24', '2001:db8::7']
    const made = await keyOf(await t.make.client(), { cidrs })
    expect(made.cidrs).toEqual(['203.0.113.0/24', '2001:db8::7/128'])
    const statusFrom = async (from: string, headers: object = {}) =>
      (await by(made.key, api.auth.me, { from, headers })).status
    for (const from of ['203.0.113.0', '203.0.113.255', '::ffff:203.0.113.7', '2001:db8::7']) {
      expect([from, await statusFrom(from)]).toEqual([from, 200])
    }
    for (const from of ['203.0.112.255', '198.51.100.1', '2001:db8::8', '127.0.0.1']) {
      expect([from, await statusFrom(from)]).toEqual([from, 403])
    }
  })

  test('with networks does not work over an onion service, where nobody has an address', async () => {
    const { key } = await keyOf(await t.make.client(), { cidrs: ['127.0.0.0/8'] })
    const from = '127.0.0.1'
    expect((await by(key, api.auth.me, { from })).status).toBe(200)
    const headers = { host: `${'a'.repeat(56)}.onion` }
    expect((await by(key, api.auth.me, { from, headers })).status).toBe(403)
  })

  test('that is bound to servers reaches them and no other', async () => {
    const me = await t.make.client()
    const one = await t.make.owned(t.cluster, 102, me)
    const two = await t.make.owned(t.cluster, 103, me)
    const instanceIds = [one.instance.id]
    const { key } = await keyOf(me, { instanceIds, scopes: ['servers:read', 'servers:power'] })
    const at = (route: Route, { instance }: typeof one) => by(key, route, { id: instance.id })
    expect((await at(api.servers.get, one)).status).toBe(200)
    expect((await at(api.servers.get, two)).status).toBe(404)
    expect((await at(api.instances.start, two)).status).toBe(404)
    expect((await by(key, api.client.tokens)).status).toBe(403)
    const list = await by(key, api.client.instances)
    expect(list.body.map(({ id }: { id: number }) => id)).toEqual(instanceIds)
  })

  test('is bound to one’s own servers only, and not together with money', async () => {
    const [me, other] = [await t.make.client(), await t.make.client()]
    const { instance } = await t.make.owned(t.cluster, 104, other)
    const instanceIds = [instance.id]
    expect(await create(me, { instanceIds })).toMatchObject({ status: 404 })
    const paying = await create(me, { instanceIds, scopes: ['billing:read'] })
    expect(paying).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('certain servers') },
    })
    expect(await t.db.$count(apiKeys, eq(apiKeys.userId, me.id))).toBe(0)
  })

  test('says on which day it was last used', async () => {
    const me = await t.make.client()
    const { key } = await keyOf(me)
    const lastUsed = async () => (await t.as(me).call(api.apiKeys.list))[0]?.lastUsedOn
    expect(await lastUsed()).toBe(null)
    await by(key, api.auth.me)
    expect(await lastUsed()).toBe(clock.now().toISOString().slice(0, 10))
    clock.advance(DAY_MS)
    await by(key, api.auth.me)
    expect(await lastUsed()).toBe(clock.now().toISOString().slice(0, 10))
  })

  test('is not made by a wish that makes no sense, and the sentence says why', async () => {
    const me = await t.make.client()
    const bad: [Partial<Record<keyof Wish, unknown>>, RegExp][] = [
      [{ name: '' }, /name the key/],
      [{ scopes: [] }, /what the key may do/],
      [{ scopes: ['servers:everything'] }, /servers:read/],
      [{ scopes: ['servers:read', 'servers:read'] }, /once/],
      [{ cidrs: ['here'] }, /203\.0\.113\.0\/24/],
      [{ dailyLimit: '20' }, /billing:spend/],
      [{ dailyLimit: '0', scopes: ['billing:spend'] }, /above 0/],
      [{ expiresAt: 'tomorrow' }, /2027-01-31/],
      [{ instanceIds: [] }, /at least one/],
    ]
    for (const [more, sentence] of bad) {
      const { status, body } = await create(me, more as Partial<Wish>)
      expect([status, body.message]).toEqual([400, expect.stringMatching(sentence)])
    }
    expect(await t.db.$count(apiKeys, eq(apiKeys.userId, me.id))).toBe(0)
  })

  test(`is one of at most ${API_KEYS_MAX}, even if the last two are made at once`, async () => {
    const me = await t.make.client()
    for (let made = 0; made < API_KEYS_MAX - 1; made += 1) await keyOf(me)
    const answers = await Promise.all([create(me), create(me)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect(await t.db.$count(apiKeys, eq(apiKeys.userId, me.id))).toBe(API_KEYS_MAX)
  })

  test('is made with the password once the session is old', async () => {
    const me = await t.make.client()
    const session = t.as(me)
    await session.cookie
    clock.advance(HOUR_MS)
    const answer = await session.attempt(api.apiKeys.create, { body: wish() })
    expect(answer).toMatchObject({ status: 400, body: { message: 'Please enter your password' } })
  })

  test('is not made by operators, nor while simulating', async () => {
    const boss = await t.make.admin()
    expect((await create(boss)).status).toBe(403)
    const client = await t.make.client()
    const { cookie = '' } = await t
      .as(boss)
      .attempt(api.simulation.start, { params: { userId: client.id } })
    const simulating = t.with(cookie)
    expect(await simulating.attempt(api.apiKeys.create, { body: wish() })).toMatchObject({
      status: 403,
      body: { code: 'NOT_WHILE_SIMULATING' },
    })
  })
})
