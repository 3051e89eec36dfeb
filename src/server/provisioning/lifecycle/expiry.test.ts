import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { instances } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { losePatience } from '../../jobs/testing/lose-patience.ts'
import { isHostnameTaken } from '../../orders/server-setup.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { actorOf, byHand, twice } from '../testing/by-hand.ts'
import { openShop } from '../testing/shop.ts'

const DAY = 86_400_000

describe('the end of a server', async () => {
  // Shortly before the daylight-saving changes of Europe and America.
  const clock = testClock(new Date('2026-10-20T00:30:00.000Z'))
  const t = await testApp({ sim: true, clock })
  const shop = await openShop(t)
  const hand = byHand(t)
  hand.takeOver()

  const buy = async (values: Record<string, unknown> = {}) => {
    const buyer = await t.make.client()
    const made = await shop.token(values)
    const { jobId } = await hand.sales.claim(actorOf(buyer), made.tokenId, 'purchase')
    await hand.runToEnd(jobId)
    const token = () => shop.tokenRow(made.id)
    const vmId = (await token()).proxmoxVmId ?? 0
    return {
      id: made.id,
      buyer,
      actor: actorOf(buyer),
      token,
      vmId,
      vm: () => t.sim.state.vms.get(vmId),
    }
  }

  const tick = async () => {
    await hand.sweep()
    await hand.runAll()
  }

  /** Moves the clock to the exact millisecond of the token's end, plus an offset. */
  const goTo = async (server: Awaited<ReturnType<typeof buy>>, ms = 0) => {
    const { expiresAt } = await server.token()
    clock.set(new Date((expiresAt?.getTime() ?? 0) + ms))
  }

  /** Records the end, then lets the whole grace period pass. */
  const outlive = async (server: Awaited<ReturnType<typeof buy>>) => {
    await goTo(server)
    await tick()
    await goTo(server, 7 * DAY)
  }

  test('comes after its days, not a millisecond early, and stops the VM', async () => {
    const server = await buy()
    const { assignedAt, expiresAt } = await server.token()
    expect(Number(expiresAt) - Number(assignedAt)).toBe(30 * DAY)
    await goTo(server, -1)
    await tick()
    expect(await server.token()).toMatchObject({ status: 'assigned' })
    expect(server.vm()?.qmp).toBe('running')
    await goTo(server)
    await tick()
    expect(await server.token()).toMatchObject({ status: 'expired' })
    expect(server.vm()?.qmp).toBe('stopped')
    expect(server.vm()?.config.onboot).toBe('0')
    await tick()
    expect(await hand.waiting()).toEqual([])
  })

  test('over a leap day comes after the same number of days', async () => {
    clock.set(new Date('2028-02-28T23:59:59.999Z'))
    const server = await buy({ durationDays: 2 })
    expect((await server.token()).expiresAt?.toISOString()).toBe('2028-03-01T23:59:59.999Z')
  })

  test('is followed by the grace period, after which the VM is destroyed and never sold again', async () => {
    const server = await buy()
    await goTo(server)
    await tick()
    await goTo(server, 7 * DAY - 1)
    await tick()
    expect(await server.token()).toMatchObject({ status: 'expired' })
    expect(server.vm()).toBeDefined()
    // Not every look is stored, so the recorded time may lag by this much.
    await goTo(server, 7 * DAY + 10_000)
    await tick()
    expect(await server.token()).toMatchObject({ status: 'cancelled', assignedInstanceId: null })
    expect(server.vm()).toBeUndefined()
    expect(await shop.instancesOf(server.id)).toEqual([])
    const offers = await t.as(server.buyer).call(api.marketplace.tokens)
    expect(offers.map(({ id }) => id)).not.toContain(server.id)
    const restore = await shop.admin.attempt(api.tokens.restore, { params: { id: server.id } })
    expect(restore).toMatchObject({ status: 409, body: { code: 'VM_MISSING' } })
  })

  test('is postponed by a renewal, from the old end, or from now during grace', async () => {
    const server = await buy()
    const { expiresAt: first } = await server.token()
    await hand.renewals.renew(server.actor, server.id)
    expect(Number((await server.token()).expiresAt) - Number(first)).toBe(30 * DAY)
    await goTo(server, 3 * DAY)
    await tick()
    expect(server.vm()?.qmp).toBe('stopped')
    const { order } = await hand.renewals.renew(server.actor, server.id)
    expect(order).toMatchObject({ kind: 'renewal', status: 'active', amountCents: 500 })
    await tick()
    expect(server.vm()?.qmp).toBe('running')
    expect(server.vm()?.config.onboot).toBe('1')
    const { status, expiresAt } = await server.token()
    expect([status, Number(expiresAt)]).toEqual(['assigned', clock.now().getTime() + 30 * DAY])
    // The second end of the same server is a new one: the VM is stopped again.
    await goTo(server)
    await tick()
    expect(server.vm()?.qmp).toBe('stopped')
  })

  test('cannot be postponed beyond two years, nor for free', async () => {
    const server = await buy({ durationDays: 300 })
    await hand.renewals.renew(server.actor, server.id)
    await expect(hand.renewals.renew(server.actor, server.id)).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'This server is already paid for two years ahead.',
    })
    const trialist = await t.make.client()
    const free = await shop.token({ monthlyPrice: '0' })
    const { jobId } = await hand.sales.claim(actorOf(trialist), free.tokenId, 'trial')
    await hand.runToEnd(jobId)
    await expect(hand.renewals.renew(actorOf(trialist), free.id)).rejects.toMatchObject({
      message: 'A free trial ends; it cannot be renewed.',
    })
  })

  test('does not happen if the server is renewed after its removal was enqueued', async () => {
    const server = await buy()
    await goTo(server)
    await tick()
    await goTo(server, 7 * DAY)
    await hand.sweep()
    expect((await hand.waiting()).map(({ kind }) => kind)).toContain('end')
    await hand.renewals.renew(server.actor, server.id)
    await hand.runAll()
    expect(await server.token()).toMatchObject({ status: 'assigned' })
    expect(server.vm()?.qmp).toBe('running')
  })

  test('is idempotent in every step', async () => {
    const server = await buy()
    await goTo(server)
    await hand.sweep()
    await hand.runAll(twice)
    expect(server.vm()?.qmp).toBe('stopped')
    await goTo(server, 7 * DAY)
    await hand.sweep()
    await hand.runAll(twice)
    expect(await server.token()).toMatchObject({ status: 'cancelled', assignedInstanceId: null })
    expect(server.vm()).toBeUndefined()
  })

  test('is retried later if it fails', async () => {
    const server = await buy()
    const vm = server.vm()
    if (vm) vm.config = { ...vm.config, protection: '1' }
    await outlive(server)
    await tick()
    expect(await shop.instancesOf(server.id)).toMatchObject([{ status: 'unknown' }])
    expect(server.vm()).toBeDefined()
    if (vm) vm.config = { ...vm.config, protection: '0' }
    await t.db.update(jobs).set({ updatedAt: sql`now() - interval '16 minutes'` })
    await tick()
    await tick()
    expect(server.vm()).toBeUndefined()
    expect(await shop.instancesOf(server.id)).toEqual([])
  })

  test('waits for an unreachable cluster, however long', async () => {
    const server = await buy()
    await goTo(server)
    t.sim.faults.add({ kind: 'refuse' })
    await tick()
    expect(server.vm()?.qmp).toBe('running')
    // Long enough for the job itself to give up.
    await losePatience(t.db)
    await tick()
    t.sim.faults.clear()
    // The next poll notices that the cluster is back.
    await t.deps.sync.now(t.cluster.id)
    await tick()
    expect(server.vm()?.qmp).toBe('running')
    await t.db.update(jobs).set({ updatedAt: sql`now() - interval '16 minutes'` })
    await tick()
    expect(server.vm()?.qmp).toBe('stopped')
  })

  test('requested by its owner stops and keeps the server, which is then restored or destroyed', async () => {
    const server = await buy()
    const { id: userId } = server.buyer
    const isOfToken = eq(instances.tokenId, server.id)
    await t.db.update(instances).set({ hostname: 'db-1' }).where(isOfToken)
    expect(await isHostnameTaken(t.db, userId, 'db-1')).toBe(true)
    await hand.renewals.cancel(server.actor, server.id)
    await tick()
    expect(server.vm()?.qmp).toBe('stopped')
    // Its successor may have the name.
    expect(await isHostnameTaken(t.db, userId, 'db-1')).toBe(false)
    expect(await t.as(server.buyer).call(api.client.tokens)).toEqual([])
    await shop.admin.call(api.tokens.restore, { params: { id: server.id } })
    expect(await server.token()).toMatchObject({ status: 'assigned', cancelledAt: null })
    await hand.renewals.cancel(server.actor, server.id)
    const early = await shop.admin.attempt(api.tokens.remove, { params: { id: server.id } })
    expect(early).toMatchObject({ status: 409, body: { code: 'IN_USE' } })
    clock.advance(7 * DAY)
    await tick()
    expect(server.vm()).toBeUndefined()
    await shop.admin.call(api.tokens.remove, { params: { id: server.id } })
    await expect(server.token()).rejects.toThrow()
  })

  test("of a deleted client's servers stops them, and removes them after the grace period", async () => {
    const server = await buy()
    await shop.admin.call(api.users.remove, { params: { id: server.buyer.id } })
    await tick()
    expect(await server.token()).toMatchObject({ status: 'cancelled', assignedUserId: null })
    expect(server.vm()?.qmp).toBe('stopped')
    const restore = await shop.admin.attempt(api.tokens.restore, { params: { id: server.id } })
    expect(restore).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } })
    clock.advance(7 * DAY - 1)
    await tick()
    expect(server.vm()).toBeDefined()
    // Not every look is stored, so the recorded time may lag by this much.
    clock.advance(10_000)
    await tick()
    expect(server.vm()).toBeUndefined()
  })

  test('of a VM that existed before us releases it and never destroys it', async () => {
    await t.deps.sync.now(t.cluster.id)
    const vm = await shop.vm(102)
    const server = await buy({ tokenType: 'ready', instanceId: vm.id })
    expect(server.vmId).toBe(102)
    await outlive(server)
    await tick()
    await tick()
    expect(await server.token()).toMatchObject({ status: 'cancelled', assignedInstanceId: null })
    expect(t.sim.state.vms.get(102)?.qmp).toBe('stopped')
    expect(await shop.vm(102)).toMatchObject({ ownerId: null, tokenId: null })
  })

  test('never affects another VM that has taken the id of ours', async () => {
    const server = await buy()
    const theirs = server.vm()
    if (theirs) theirs.config = { ...theirs.config, description: 'somebody else’s' }
    await outlive(server)
    await tick()
    await tick()
    expect(server.vm()).toBeDefined()
    expect(await shop.instancesOf(server.id)).toEqual([])
  })
})
