import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { JobState } from '#shared/api/overview/events.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { orders, payments } from '../../db/schema/sales.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { COULD_NOT } from '../../jobs/public-failure.ts'
import { VM_PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'

describe('the dashboards', async () => {
  const t = await testApp({ sim: true })
  const admin = t.as(await t.make.admin())
  const alice = await t.make.client({ firstName: 'Ada' })
  const bob = await t.make.client()
  await t.make.client()
  await t.make.owned(t.cluster, 100, alice)
  const second = await t.make.owned(t.cluster, 103, alice)
  await t.make.owned(t.cluster, 107, bob)

  test('show clients with their current servers, and no others', async () => {
    const clients = await admin.call(api.dashboard.clients)
    expect(clients.map(({ id }) => id)).toEqual([alice.id, bob.id])
    expect(clients[0]?.activeTokens.map(({ instance }) => instance?.status)).toEqual([
      'running',
      'stopped',
    ])
    expect(clients[0]).toMatchObject({
      firstName: 'Ada',
      activeTokens: [{ proxmoxVmId: 100, monthlyPrice: '5.35' }, { proxmoxVmId: 103 }],
    })
    expect(JSON.stringify(clients)).not.toContain(VM_PASSWORD)
    await t.db.update(tokens).set({ status: 'expired' }).where(eq(tokens.id, second.token.id))
    const after = await admin.call(api.dashboard.clients)
    expect(after[0]?.activeTokens).toHaveLength(1)
    await t.db.update(tokens).set({ status: 'assigned' }).where(eq(tokens.id, second.token.id))
  })

  test('count everything for an admin, and its own for a client', async () => {
    await t.make.token()
    await t.make.token({ status: 'ready', tokenType: 'ready' })
    expect(await admin.call(api.stats.get)).toEqual({
      availableTokens: 2,
      runningInstances: 6,
      activeNodes: 2,
      failedInstances: 1,
    })
    expect(await t.as(alice).call(api.stats.get)).toEqual({
      availableTokens: 2,
      runningInstances: 1,
      activeNodes: 1,
      failedInstances: 0,
    })
    await t.db.update(instances).set({ missingSince: new Date() }).where(eq(instances.vmId, 103))
    expect(await t.as(alice).call(api.stats.get)).toMatchObject({ failedInstances: 1 })
    expect(await admin.call(api.stats.get)).toMatchObject({ failedInstances: 2 })
  })

  test('list what needs attention, and nothing else', async () => {
    const kinds = async () => (await admin.call(api.dashboard.attention)).map(({ kind }) => kind)
    await t.db.update(instances).set({ missingSince: null })
    const troubled = (await admin.call(api.instances.list)).find(({ status }) => status === 'error')
    expect(await kinds()).toEqual(['servers-failed', 'stock-low'])
    await t.make.token()
    expect(await admin.call(api.dashboard.attention)).toEqual([
      {
        kind: 'servers-failed',
        tone: 'bad',
        count: 1,
        message: '1 server has failed or vanished',
        path: `/proxmox-manager?resource=instance-${troubled?.id}`,
      },
    ])
    const soon = new Date(Date.now() + 3 * DAY_MS)
    await t.db.update(tokens).set({ expiresAt: soon }).where(eq(tokens.id, second.token.id))
    await t.db.insert(orders).values([
      { planName: 'Small', amountCents: 500, status: 'paid' },
      { planName: 'Large', amountCents: 900, status: 'paid' },
    ])
    await t.db.insert(jobs).values({
      id: randomUUID(),
      kind: 'clone-template',
      title: 'Clone x',
      input: {},
      state: 'failed',
    })
    t.sim.faults.add({ kind: 'node-offline', node: 'pve2' })
    await admin.call(api.sync.proxmox)
    expect(await admin.call(api.dashboard.attention)).toMatchObject([
      // The VM in error ran there: its state is now unknown, not failed.
      { kind: 'nodes-offline', message: '1 node is offline', path: '/nodes?show=offline' },
      { kind: 'failed-jobs', count: 1, message: '1 job has failed', path: '/admin-dashboard' },
      {
        kind: 'paid-orders',
        count: 2,
        message: '2 paid orders wait to be provisioned',
        path: '/orders?show=paid',
      },
      {
        kind: 'tokens-expiring',
        count: 1,
        message: '1 token expires within 7 days',
        path: '/tokens?show=expiring',
      },
    ])
    t.sim.faults.clear()
    const cut = await testApp({ on: t.database })
    t.sim.faults.add({ kind: 'refuse' })
    await cut.deps.links.start()
    await cut.deps.hypervisors.of(t.cluster.id).inventory.refresh()
    const there = await cut.as(await cut.make.admin()).call(api.dashboard.attention)
    expect(there[0]).toMatchObject({
      kind: 'clusters-down',
      message: '1 cluster does not answer',
      path: `/clusters?settings=${t.cluster.id}`,
    })
    t.sim.faults.clear()
  })
})

describe('what needs attention', async () => {
  const t = await testApp({ sim: true })
  const admin = t.as(await t.make.admin())
  const row = async (kind: string) =>
    (await admin.call(api.dashboard.attention)).find((entry) => entry.kind === kind)

  test('names an order whose payment only an operator can confirm, and opens it', async () => {
    const [order] = await t.db
      .insert(orders)
      .values({ planName: 'Small', amountCents: 500, status: 'pending' })
      .returning()
    if (!order) throw new Error('no order')
    expect(await row('unconfirmed-orders')).toBeUndefined()
    await t.db.insert(payments).values({
      orderId: order.id,
      provider: 'manual',
      providerPaymentId: 'manual-1',
      amountCents: 500,
      status: 'pending',
    })
    expect(await row('unconfirmed-orders')).toMatchObject({
      message: '1 order waits for you to confirm the payment',
      path: `/orders?order=${order.id}`,
    })
    await t.db.update(orders).set({ status: 'cancelled' }).where(eq(orders.id, order.id))
    expect(await row('unconfirmed-orders')).toBeUndefined()
  })

  test('counts jobs that are not done after ten minutes, and not before', async () => {
    const startedAt = new Date(Date.now() - 11 * 60_000)
    const work = { kind: 'provision', title: 'Make x', input: {}, state: 'waiting' as const }
    const young = { ...work, id: randomUUID() }
    const old = { ...work, id: randomUUID(), createdAt: startedAt, updatedAt: new Date() }
    await t.db.insert(jobs).values(young)
    expect(await row('stuck-jobs')).toBeUndefined()
    await t.db.insert(jobs).values(old)
    expect(await row('stuck-jobs')).toMatchObject({
      count: 1,
      message: '1 job is still not done after 10 minutes',
    })
    const listed = await admin.call(api.jobs.list)
    expect(listed.find(({ id }) => id === old.id)?.startedAt).toBe(startedAt.toISOString())
    await t.db.update(jobs).set({ state: 'done' })
    expect(await row('stuck-jobs')).toBeUndefined()
  })

  test('names a cluster whose certificate changed at once, and reports it as disconnected', async () => {
    const status = async () => (await admin.call(api.clusters.list))[0]?.status
    expect(await status()).toBe('connected')
    await t.sim.rotateCertificate()
    await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
    expect(await status()).toBe('disconnected')
    expect(await row('certificates-changed')).toMatchObject({
      tone: 'bad',
      message: 'Cluster Test shows a certificate that nobody has confirmed',
      path: `/clusters?settings=${t.cluster.id}`,
    })
    expect(await row('clusters-down')).toBeUndefined()
  })
})

describe('a cluster that no longer accepts the stored account', async () => {
  const t = await testApp({ sim: true })
  const admin = t.as(await t.make.admin())

  test('is disconnected and named, however recent its last answer is', async () => {
    t.sim.state.tokens.clear()
    await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
    expect((await admin.call(api.clusters.list))[0]?.status).toBe('disconnected')
    expect(await admin.call(api.dashboard.attention)).toContainEqual(
      expect.objectContaining({
        kind: 'clusters-refusing',
        message: 'Cluster Test refuses the stored account',
      }),
    )
  })
})

describe('jobs', async () => {
  const t = await testApp({ withJobs: true })
  const admin = t.as(await t.make.admin())
  const alice = await t.make.client()
  const bob = await t.make.client()
  const add = async (state: JobState, ownerId: number | null, updatedAt = new Date()) => {
    const id = randomUUID()
    const title = `A ${state} job`
    const failure = { code: 'INTERNAL', message: 'It broke.', retry: 'never' as const }
    const common = { id, kind: 'test', title, input: {}, ownerId, updatedAt }
    await t.db.insert(jobs).values({ ...common, state, ...(state === 'failed' ? { failure } : {}) })
    return id
  }

  test('are listed while running and after a recent failure, and a client sees its own', async () => {
    const ids = {
      hers: await add('waiting', alice.id),
      his: await add('failed', bob.id),
      nobodys: await add('failed', null),
      old: await add('failed', null, new Date(Date.now() - 8 * DAY_MS)),
      done: await add('done', alice.id),
    }
    const seen = async (who: typeof admin) => (await who.call(api.jobs.list)).map(({ id }) => id)
    expect(new Set(await seen(admin))).toEqual(new Set([ids.hers, ids.his, ids.nobodys]))
    expect(await seen(t.as(alice))).toEqual([ids.hers])
    const [failed] = await t.as(bob).call(api.jobs.list)
    // The cause is for operators only.
    expect(failed).toMatchObject({ error: COULD_NOT, state: 'failed' })
    const [same] = (await admin.call(api.jobs.list)).filter(({ id }) => id === ids.his)
    expect(same).toMatchObject({ error: 'It broke.' })
  })

  test('can be run again only if they failed', async () => {
    const id = await add('failed', null)
    const again = await admin.call(api.jobs.retry, { params: { id } })
    expect(again).toMatchObject({ id, error: null })
    const done = await add('done', null)
    const answer = await admin.attempt(api.jobs.retry, { params: { id: done } })
    expect(answer).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
    const absent = await admin.attempt(api.jobs.retry, { params: { id: randomUUID() } })
    expect(absent.status).toBe(404)
  })
})
