import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { instances } from '../../db/schema/stock.ts'
import { events as eventsTable, jobs } from '../../db/schema/work.ts'
import { keysOn, putKeysOn } from '../../inventory/vm/server-keys.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { createJobStore } from '../../jobs/job-store.ts'
import { COULD_NOT, KEEPS_TRYING } from '../../jobs/public-failure.ts'
import { testApp } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { actorOf, byHand } from '../testing/by-hand.ts'
import { openShop } from '../testing/shop.ts'

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const INSIDES = /Datastore|VM\.|\/storage|pve1|ceph|qm |lock|certificate|cluster|template/i

describe.each(BOTH_DATABASES)('a blocked sale on %s', async (database) => {
  // Root sees what a dead clone leaves behind; the pool's own account does not.
  const t = await testApp({ database, sim: true })
  const shop = await openShop(t)
  const hand = byHand(t)
  const store = createJobStore(t.db, t.deps.events)

  const buy = async () => {
    const token = await shop.token()
    const buyer = await t.make.client()
    const sale = await hand.sales.claim(actorOf(buyer), token.tokenId, 'purchase')
    return { ...sale, token, buyer }
  }
  const heal = async () => {
    t.sim.faults.clear()
    await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
  }
  const age = (jobId: string, minutes: number) =>
    t.db
      .update(jobs)
      .set({ createdAt: new Date(Date.now() - minutes * MINUTE_MS) })
      .where(eq(jobs.id, jobId))
  const toldTo = async (userId: number) => {
    const rows = await t.db
      .select()
      .from(eventsTable)
      .where(eq(eventsTable.audience, `user:${userId}`))
    return JSON.stringify(rows.map(({ body }) => body))
  }
  const attention = async (kind: string) =>
    (await shop.admin.call(api.dashboard.attention)).find((row) => row.kind === kind)

  test('is visible if a dead clone left its lock, and an operator can give it up', async () => {
    const { jobId, order, token, buyer } = await buy()
    t.sim.faults.add({ kind: 'worker-dies', count: 1, path: '/clone$', method: 'POST' })
    await expect(hand.run(jobId)).rejects.toThrow(RunAgainError)
    await expect(hand.run(jobId)).rejects.toThrow(RunAgainError)
    await heal()
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'undoing', stuck: { step: 'clone' } })
    expect(await attention('jobs-not-undone')).toMatchObject({ count: 1 })
    const listed = await shop.admin.call(api.jobs.list)
    expect(listed.find(({ id }) => id === jobId)).toMatchObject({
      isStuck: true,
      error: expect.stringContaining('qm unlock'),
    })
    // Minutes later the buyer reads it in the order, without internal details.
    await age(jobId, 3)
    await expect(hand.run(jobId)).rejects.toThrow(RunAgainError)
    const own = async () =>
      (await t.as(buyer).call(api.billing.overview)).orders.find(({ id }) => id === order.id)
    expect((await own())?.failure).toBe(KEEPS_TRYING)

    const [reserved] = await t.db
      .update(instances)
      .set({ label: 'my mail', hostname: 'mail' })
      .where(eq(instances.tokenId, token.id))
      .returning()
    const instanceId = reserved?.id ?? 0
    await putKeysOn(t.db, instanceId, [KEY])

    expect(await t.db.transaction((tx) => store.giveUp(tx, jobId))).toBeDefined()
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    // The VM may be given to another client: nothing of this buyer stays with it.
    const [left] = await t.db.select().from(instances).where(eq(instances.id, instanceId))
    expect(left).toMatchObject({ ownerId: null, tokenId: null, label: null, hostname: null })
    expect(await keysOn(t.db, instanceId)).toEqual([])
    expect(await shop.orderRow(order.id)).toMatchObject({ status: 'paid', failure: COULD_NOT })
    // The address may be in use, so the token is not sold again.
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'cancelled' })
    expect(await attention('jobs-not-undone')).toBeUndefined()
    const cancelled = await shop.admin.attempt(api.orders.update, {
      params: { id: order.id },
      body: { status: 'cancelled', refund: 'credit' },
    })
    expect(cancelled.status).toBe(200)
    expect(await shop.orderRow(order.id)).toMatchObject({ status: 'cancelled' })
    expect(await toldTo(buyer.id)).not.toMatch(/qm unlock|broke off/)
  })

  test('can be given up only if something blocks it', async () => {
    const { jobId } = await buy()
    expect(await t.db.transaction((tx) => store.giveUp(tx, jobId))).toBeUndefined()
    const answer = await shop.admin.attempt(api.jobs.giveUp, { params: { id: jobId } })
    expect(answer.status).not.toBe(200)
    await hand.run(jobId)
  })

  test('waits if the certificate has changed, and continues once it is confirmed', async () => {
    const { jobId, order, buyer } = await buy()
    await age(jobId, 60)
    const pinned = { fingerprint: t.sim.fingerprint, pem: t.sim.certPem }
    await t.sim.rotateCertificate()
    await expect(hand.run(jobId)).rejects.toThrow(RunAgainError)
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'waiting',
      failure: { code: 'CERTIFICATE_UNTRUSTED' },
    })
    expect(await shop.orderRow(order.id)).toMatchObject({ status: 'provisioning' })
    const { orders } = await t.as(buyer).call(api.billing.overview)
    expect(orders.find(({ id }) => id === order.id)?.failure).toBe(KEEPS_TRYING)
    expect(pinned.fingerprint).not.toBe(t.sim.fingerprint)
    const body = { tlsFingerprint: t.sim.fingerprint }
    await shop.admin.call(api.clusters.update, { params: { id: t.cluster.id }, body })
    await heal()
    await hand.runToEnd(jobId)
    expect(await shop.orderRow(order.id)).toMatchObject({ status: 'active', failure: null })
  })

  test.each([
    ['403', 'Permission check failed (/storage/ceph-vm, Datastore.AllocateSpace)'],
    ['task-error', "clone failed: unable to create VM on pve1: storage 'ceph-vm' is full"],
  ] as const)('because of %s shows no internal details to the buyer', async (kind, message) => {
    const { jobId, order, buyer } = await buy()
    t.sim.faults.add({ kind, count: 1, message, path: '/clone$', method: 'POST' })
    await hand.run(jobId)
    await heal()
    const client = t.as(buyer)
    const own = (await client.call(api.billing.overview)).orders.find(({ id }) => id === order.id)
    expect(own?.failure).toBe(COULD_NOT)
    const list = await client.call(api.jobs.list)
    expect(list.map(({ error }) => error ?? '').join(' ')).not.toMatch(INSIDES)
    const told = (await toldTo(buyer.id)).replaceAll(/"(title|kind|step)":"[^"]*"/g, '')
    expect(told).not.toMatch(/Datastore|ceph|pve1/)
    const seen = (await shop.admin.call(api.orders.list)).find(({ id }) => id === order.id)
    expect(seen?.failure).not.toBe(COULD_NOT)
  })
})
