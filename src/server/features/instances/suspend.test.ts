import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { instances } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import type { LiveVm } from '../../hypervisor/port/hypervisor.ts'
import { claimPower } from '../../inventory/vm/power-claim.ts'
import { byHand, twice } from '../../provisioning/testing/by-hand.ts'
import { sellServers } from '../../provisioning/testing/servers.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { atEnd } from '../../testing/at-end.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'

const DAY = 86_400_000
const soon = { timeout: 30_000, interval: 50 }

describe.each(BOTH_DATABASES)('a suspended server on %s', async (database) => {
  const clock = testClock()
  const env = { PAYMENT_PROVIDER: 'manual' }
  const t = await testApp({ sim: true, withJobs: true, database, clock, env })
  const shop = await openShop(t)
  const hand = byHand(t)
  const { markPaid, server, isOn } = sellServers(t, shop)

  const suspend = (id: number, reason = 'You send spam.') =>
    shop.admin.attempt(api.instances.suspend, { params: { id }, body: { reason } })

  test('is off, and its client reads why and cannot start it', async () => {
    const { user, vmId, id } = await server()
    const answers = await Promise.all([suspend(id), suspend(id), suspend(id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409])
    await vi.waitFor(() => expect(isOn(vmId)).toBe(false), soon)
    const client = t.as(user)
    const [shown] = await client.call(api.client.instances)
    expect(shown?.suspended).toEqual({
      reason: 'You send spam.',
      since: clock.now().toISOString(),
    })
    expect((await client.call(api.client.tokens))[0]?.suspended).toMatchObject({
      reason: 'You send spam.',
    })
    const params = { id }
    for (const who of [client, shop.admin]) {
      const start = await who.attempt(api.instances.start, { params })
      expect([start.status, start.body.message]).toEqual([
        409,
        'This server is suspended: You send spam.',
      ])
    }
    const screen = await client.attempt(api.consoles.ticket, { params })
    expect(screen.body.message).toBe('This server is suspended: You send spam.')
    expect(await client.attempt(api.instances.resume, { params })).toMatchObject({ status: 403 })
    const { jobId } = await shop.admin.call(api.instances.resume, { params })
    await shop.ended(jobId)
    expect(isOn(vmId)).toBe(true)
    expect(await shop.admin.attempt(api.instances.resume, { params })).toMatchObject({
      status: 409,
    })
    expect((await client.call(api.client.instances))[0]?.suspended).toBeNull()
  })

  test('expires at its paid end, has its grace period, and is then removed', async () => {
    const { token, vmId, id } = await server()
    await shop.ended((await suspend(id)).body.jobId)
    clock.advance(30 * DAY)
    await hand.sweep()
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'expired' })
    await hand.runAll()
    expect(t.sim.state.vms.has(vmId)).toBe(true)
    expect(isOn(vmId)).toBe(false)
  })

  test('is handled idempotently if a step runs twice, as after a kill', async () => {
    const { token, vmId, id } = await server()
    const which = { instanceId: id, tokenId: token.id, name: token.name, ownerId: null }
    const off = await t.db.transaction((tx) =>
      hand.suspensions.suspend(tx, which, { reason: 'Spam.', cause: 'operator' }),
    )
    await hand.run(off ?? '', twice)
    expect(isOn(vmId)).toBe(false)
    const on = await t.db.transaction((tx) => hand.suspensions.resume(tx, which))
    // Suspended again before the start ran: the start must not take effect.
    await t.db.transaction((tx) =>
      hand.suspensions.suspend(tx, which, { reason: 'Again.', cause: 'operator' }),
    )
    await hand.run(on ?? '', twice)
    expect(isOn(vmId)).toBe(false)
  })

  test('gets more time by a renewal and stays off until it is resumed', async () => {
    const { user, token, vmId, id } = await server()
    await shop.ended((await suspend(id)).body.jobId)
    clock.advance(31 * DAY)
    await hand.sweep()
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'expired' })
    const { order } = await t.as(user).call(api.client.renew, { params: { id: token.id } })
    await markPaid(order.id)
    await hand.runAll()
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'assigned' })
    expect(isOn(vmId)).toBe(false)
    const { jobId } = await shop.admin.call(api.instances.resume, { params: { id } })
    await shop.ended(jobId)
    expect(isOn(vmId)).toBe(true)
  })
})

test.each(BOTH_DATABASES)(
  'a start that was authorised before a suspension cannot override it (%s)',
  async (database) => {
    const t = await testApp({ sim: true, withJobs: true, database })
    const admin = t.as(await t.make.admin())
    const { instance } = await t.make.owned(t.cluster, 100, await t.make.client())
    const { id } = instance
    // The claim of a start in progress in another process.
    const [held] = await t.db
      .update(instances)
      .set({ status: 'starting', lastUpdated: new Date() })
      .where(eq(instances.id, id))
      .returning()
    const body = { reason: 'You send spam.' }
    const { jobId } = await admin.call(api.instances.suspend, { params: { id }, body })
    const job = async () => (await t.db.select().from(jobs).where(eq(jobs.id, jobId)))[0]?.state
    await vi.waitFor(async () => expect(await job()).toBe('waiting'), soon)
    expect(t.sim.state.vms.get(100)?.qmp).toBe('running')
    await t.db
      .update(instances)
      .set({ status: 'running' })
      .where(eq(instances.id, held?.id ?? 0))
    await vi.waitFor(async () => expect(await job()).toBe('done'), soon)
    expect(t.sim.state.vms.get(100)?.qmp).not.toBe('running')
    // Nor can a start begin that was authorised before, and requests its claim after.
    await expect(
      t.db.transaction((tx) => claimPower(tx, instance, 'start', new Date())),
    ).rejects.toMatchObject({ code: 'LOCKED' })
  },
)

test('a start that meets a suspension on its way says why it is refused', async () => {
  const t = await testApp({ sim: true })
  const client = await t.make.client()
  const { instance } = await t.make.owned(t.cluster, 100, client)
  const { hypervisor } = t.deps.hypervisors.of(t.cluster.id)
  // The list says that it runs, so the VM itself is asked: meanwhile an operator suspends it.
  const look = vi.spyOn(hypervisor, 'vm').mockImplementation(async () => {
    const suspended = { suspendReason: 'Spam.', suspendCause: 'operator' as const }
    await t.db
      .update(instances)
      .set({ suspendedAt: new Date(), ...suspended })
      .where(eq(instances.id, instance.id))
    return { state: 'stopped', uptime: 0 } as LiveVm
  })
  atEnd(() => look.mockRestore())
  const answer = await t.as(client).attempt(api.instances.start, { params: { id: instance.id } })
  expect(look).toHaveBeenCalledOnce()
  expect(answer).toMatchObject({
    status: 409,
    body: { code: 'INVALID_STATE', message: 'This server is suspended: Spam.' },
  })
})
