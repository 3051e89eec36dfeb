import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { CLOSE } from '#shared/rules/instance/console-endings.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { TAKEN_OVER } from '../../audit/taken-over.ts'
import { users } from '../../db/schema/accounts.ts'
import { handoverCodes } from '../../db/schema/handovers.ts'
import { orders, packages, subscriptions } from '../../db/schema/sales.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { INVALID, openHandovers } from '../../provisioning/testing/handovers.ts'
import { type Person, testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { trafficOf } from '../../traffic/traffic-views.ts'
import { consoleWorld } from '../console/testing/console-world.ts'

describe.each(BOTH_DATABASES)('a code to hand a server over, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openHandovers(t)
  const admin = await t.make.admin()

  const codes = ({ tokenId }: { tokenId: number }) =>
    t.db.select().from(handoverCodes).where(eq(handoverCodes.tokenId, tokenId))

  test('is shown once and stored as a hash; the page says until when it is open', async () => {
    const server = await our.server()
    expect(await our.page(server.user, server)).toMatchObject({
      transfer: null,
      can: { transfer: { allowed: true, why: null } },
    })
    const { status, body } = await our.offer(server.user, server)
    const expiresAt = new Date(clock.now().getTime() + DAY_MS).toISOString()
    expect({ status, expiresAt: body.expiresAt }).toEqual({ status: 201, expiresAt })
    expect(body.code).toMatch(/^([0-9A-Z]{5}-){5}[0-9A-Z]$/)
    const page = await our.page(server.user, server)
    expect(page.transfer).toEqual({ expiresAt })
    expect(JSON.stringify(page)).not.toContain(body.code)
    expect(JSON.stringify(await codes(server))).not.toContain(body.code)
    expect(await our.page(admin, server)).toMatchObject({
      transfer: { expiresAt },
      can: { transfer: { allowed: false, why: 'Only its client can hand a server over.' } },
    })
    clock.advance(DAY_MS)
    expect((await our.page(server.user, server)).transfer).toBeNull()
  })

  test('ends the API keys that its owner made for the server, and no others', async () => {
    const server = await our.server()
    const keyFor = (instanceIds?: number[]) =>
      t.as(server.user).call(api.apiKeys.create, {
        body: { name: 'k', scopes: ['servers:read'], ...(instanceIds && { instanceIds }) },
      })
    const bound = await keyFor([server.id])
    const free = await keyFor()
    const receiver = await t.make.client()
    const read = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` }
      return (await t.app.inject({ url: `/api/instances/${server.id}`, headers })).statusCode
    }
    expect([await read(bound.key), await read(free.key)]).toEqual([200, 200])
    await our.take(receiver, await our.codeFor(server))
    expect([await read(bound.key), await read(free.key)]).toEqual([401, 404])
  })

  test('replaces the last one, and is gone when it is withdrawn', async () => {
    const server = await our.server()
    const first = await our.codeFor(server)
    clock.advance(HOUR_MS)
    const second = await our.codeFor(server)
    expect(second).not.toBe(first)
    expect(await codes(server)).toHaveLength(1)
    expect((await our.withdraw(server.user, server)).status).toBe(204)
    expect((await our.withdraw(server.user, server)).status).toBe(204)
    expect(await codes(server)).toEqual([])
    expect((await our.page(server.user, server)).transfer).toBeNull()
    expect((await our.logOf(server)).map(({ action }) => action)).toEqual([
      'instance.transfer-withdrawn',
      'instance.transfer-code',
      'instance.transfer-code',
    ])
  })

  test('of two at once the later is good, and the other useless', async () => {
    const server = await our.server()
    const both = await Promise.all([our.codeFor(server), our.codeFor(server)])
    const receiver = await t.make.client()
    const answers = []
    for (const code of both) answers.push(await our.take(receiver, code))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 422])
    await hand.runAll()
  })

  test('is made by its owner alone, in person', async () => {
    const server = await our.server()
    const { id } = server
    const stranger = await t.make.client()
    for (const call of [our.offer, our.withdraw]) {
      expect((await call(stranger, server)).status).toBe(404)
      expect((await call(admin, server)).status).toBe(403)
    }
    const start = { params: { userId: server.user.id } }
    const { cookie } = await t.as(admin).attempt(api.simulation.start, start)
    const simulated = await t.with(cookie ?? '').attempt(api.servers.offer, { params: { id } })
    expect(simulated).toMatchObject({ status: 403, body: { code: 'NOT_WHILE_SIMULATING' } })
    expect((await t.visitor.attempt(api.servers.offer, { params: { id } })).status).toBe(401)
    expect(await codes(server)).toEqual([])
  })

  test('is refused with the reason where a server cannot be handed over', async () => {
    const server = await our.server()
    const { id, tokenId, user } = server
    const refused = async (sentence: string) => {
      expect(await our.offer(user, server)).toMatchObject({
        status: 409,
        body: { code: 'INVALID_STATE', message: sentence },
      })
      expect(await codes(server)).toEqual([])
    }
    const isIt = eq(tokens.id, tokenId)
    await t.db.update(tokens).set({ monthlyPriceCents: 0 }).where(isIt)
    await refused('A free trial cannot be handed over.')
    await t.db.update(tokens).set({ monthlyPriceCents: 500 }).where(isIt)
    const card = { userId: user.id, tokenId, providerSubscriptionId: `sub-${id}` }
    await t.db.insert(subscriptions).values({ ...card, status: 'active' })
    await refused('This server renews itself by card. Turn that off in Billing, then hand it over.')
    const isCard = eq(subscriptions.tokenId, tokenId)
    await t.db.update(subscriptions).set({ status: 'canceled' }).where(isCard)
    const status = (value: string) =>
      t.db.update(instances).set({ status: value }).where(eq(instances.id, id))
    await status('reinstalling')
    await refused('The server is being reinstalled. Hand it over when that is done.')
    await status('running')
    await t.db.update(tokens).set({ status: 'expired' }).where(isIt)
    await refused('This server has expired. Renew it to hand it over.')
    await t.db.update(tokens).set({ status: 'assigned' }).where(isIt)
    expect((await our.offer(user, server)).status).toBe(201)
  })

  test('leads to two timelines: each account reads its own part', async () => {
    const server = await our.server()
    const { user } = server
    const params = { id: server.id }
    await t.as(user).call(api.servers.change, { params, body: { label: 'Secret project' } })
    await t.as(user).call(api.instances.reveal, { params })
    await t.as(user).call(api.instances.restart, { params })
    const receiver = await t.make.client()
    const { body } = await our.take(receiver, await our.codeFor(server))
    await hand.run(body.jobId)
    await t.as(receiver).call(api.instances.restart, { params })

    const seen = await t.as(receiver).call(api.servers.activity, { params })
    expect(seen.map(({ action, by }) => `${action} ${by}`)).toEqual([
      'instance.restart you',
      'instance.login-replaced system',
      'instance.taken-over you',
    ])
    const ofToken = { params: { id: server.tokenId } }
    const term = await t.as(receiver).call(api.tokens.timeline, ofToken)
    expect(term.map(({ action, by }) => `${action} ${by}`)).toEqual(['instance.taken-over you'])
    const account = await t.as(receiver).call(api.account.activity)
    expect(account.map(({ action, by }) => `${action} ${by}`)).toEqual(['instance.taken-over you'])

    // A renewal is the new owner's first order, and begins no new history.
    await t.as(receiver).call(api.client.renew, { ...ofToken, body: {} })
    const isThere = expect.arrayContaining([expect.objectContaining({ action: TAKEN_OVER })])
    expect(await t.as(receiver).call(api.servers.activity, { params })).toEqual(isThere)
    expect(await t.as(receiver).call(api.tokens.timeline, ofToken)).toEqual(isThere)
    const former = await t.as(user).call(api.account.activity)
    const past = ['instance.handed-over you', 'instance.transfer-code you', 'instance.reveal you']
    expect(former.map(({ action, by }) => `${action} ${by}`)).toEqual(past)
    expect((await t.as(user).attempt(api.servers.activity, { params })).status).toBe(404)
    const all = await t.as(admin).call(api.servers.activity, { params })
    expect(all.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['instance.handed-over', 'instance.rename', 'instance.restart']),
    )
    const page = JSON.stringify([await our.page(receiver, server), seen, term, account])
    const [{ username } = { username: '' }] = await t.db
      .select({ username: users.username })
      .from(users)
      .where(eq(users.id, user.id))
    for (const word of ['Secret project', username]) expect(page).not.toContain(word)
  })

  test('and back: the first owner does not read what the second did', async () => {
    const { server, receiver, jobId } = await our.taken()
    await hand.run(jobId)
    const params = { id: server.id }
    await t.as(receiver).call(api.instances.restart, { params })
    const code = await our.codeFor({ ...server, user: receiver })
    const { body } = await our.take(server.user, code)
    await hand.run(body.jobId)
    const seen = await t.as(server.user).call(api.servers.activity, { params })
    expect(seen.map(({ action }) => action)).toEqual([
      'instance.login-replaced',
      'instance.taken-over',
    ])
    expect(await our.take(receiver, code)).toMatchObject(INVALID)
  })

  test('shows the new owner no failed job of the former one', async () => {
    const server = await our.server()
    const subject = `token:${server.tokenId}`
    await t.db.insert(jobs).values({
      id: `failed-${server.id}`,
      kind: 'stop',
      title: 'Stop it',
      subject,
      input: {},
      state: 'failed',
      ownerId: server.user.id,
    })
    expect((await our.page(server.user, server)).jobs).toHaveLength(1)
    const receiver = await t.make.client()
    const { body } = await our.take(receiver, await our.codeFor(server))
    expect((await our.page(receiver, server)).jobs).toMatchObject([{ id: body.jobId }])
    await hand.run(body.jobId)
    expect((await our.page(receiver, server)).jobs).toEqual([])
  })
})

describe.each(BOTH_DATABASES)(
  'the package of a server that was handed over, on %s',
  async (database) => {
    const t = await testApp({ sim: true, database })
    const our = await openHandovers(t)
    const admin = await t.make.admin()

    test('is shown to its new owner, and its order to no operator as theirs', async () => {
      const server = await our.server()
      const [bought] = await t.db.select().from(orders).where(eq(orders.tokenId, server.tokenId))
      if (!bought) throw new Error('no order')
      const seen = async (who: Person) => {
        const { packageName, operator } = await our.page(who, server)
        return { packageName, orderId: operator?.orderId }
      }
      const planId = 'counted'
      const plan = { id: planId, name: 'Counted', priceCents: 500, trafficGb: 7, osOptions: [] }
      await t.db.insert(packages).values({ ...plan, cpu: '1', ram: '1 GB', storage: '25 GB' })
      await t.db.update(orders).set({ planId }).where(eq(orders.id, bought.id))
      expect(await seen(admin)).toEqual({ packageName: bought.planName, orderId: bought.id })
      const receiver = await t.make.client()
      await our.take(receiver, await our.codeFor(server))
      await our.hand.runAll()
      expect(await seen(receiver)).toMatchObject({ packageName: bought.planName })
      expect(await seen(admin)).toEqual({ packageName: bought.planName, orderId: null })
      const { id: _, ...order } = bought
      const change = { ...order, kind: 'change' as const, status: 'active' as const }
      await t.db
        .insert(orders)
        .values({ ...change, userId: receiver.id, planName: 'Changed', planId: 'deleted since' })
      const back = await our.codeFor({ ...server, user: receiver })
      await our.take(server.user, back)
      await our.hand.runAll()
      // The first owner's own order is older than the change.
      expect(await seen(server.user)).toMatchObject({ packageName: 'Changed' })
      expect(await seen(admin)).toEqual({ packageName: 'Changed', orderId: null })
      // As it is counted and limited: by the last package that there still is.
      const { traffic } = await trafficOf(t.db, server.id, new Date())
      const { quotaBytes } = traffic
      expect(quotaBytes).toBeGreaterThan(0)
      expect(await our.page(admin, server)).toMatchObject({ traffic: { quotaBytes } })
    })
  },
)

describe('a console of the former owner', async () => {
  const t = await testApp({ sim: true })
  const { hand, ...our } = await openHandovers(t)
  const { openWith, ticketOf } = await consoleWorld(t)

  test('is closed the moment the server is taken over, and the operator’s stays', async () => {
    const server = await our.server()
    const instance = { id: server.id, vmId: server.vmId }
    const lookAs = async (who: { id: number; role: string }) => {
      const caller = t.as(who)
      return await openWith((await caller.cookie) ?? '', await ticketOf({ who: caller, instance }))
    }
    const theirs = await lookAs(server.user)
    const operators = await lookAs(await t.make.admin())
    expect([theirs.outcome, operators.outcome]).toEqual(['open', 'open'])
    const unused = t.as(server.user)
    const ticket = await ticketOf({ who: unused, instance })
    const receiver = await t.make.client()
    const { status } = await our.take(receiver, await our.codeFor(server))
    expect(status).toBe(202)
    const asked = performance.now()
    expect(await theirs.closed).toBe(CLOSE.signedOut)
    // By the event: the checks at intervals come after 15 seconds.
    expect(performance.now() - asked).toBeLessThan(10_000)
    expect(operators.outcome).toBe('open')
    const late = await openWith((await unused.cookie) ?? '', ticket)
    expect(late).toMatchObject({ outcome: 'closed', code: CLOSE.refused })
    expect((await lookAs(receiver)).outcome).toBe('open')
    operators.close()
    await hand.runAll()
  })
})
