import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { placeOrder } from '../../orders/place-order.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'
import { actorOf, byHand } from '../testing/by-hand.ts'

describe.each(EACH_DATABASE)('removals on %s', async (database) => {
  const clock = testClock(new Date())
  const env = { REMOVALS_PER_HOUR: '2' }
  const t = await testApp({ database, sim: true, clock, env })
  const admin = () => t.make.admin().then((boss) => t.as(boss))
  let hand = byHand(t)

  /** Puts a server in grace on each of these VMs. */
  const endedServers = async (...vmIds: number[]) => {
    const made: { id: number }[] = []
    for (const vmId of vmIds) {
      const { token } = await t.make.owned(t.cluster, vmId, await t.make.client())
      await t.db.update(tokens).set({ expiresAt: clock.now() }).where(eq(tokens.id, token.id))
      made.push(token)
    }
    await hand.sweep()
    return made.map(({ id }) => id)
  }
  const ordered = async () => {
    const waiting = await hand.waiting()
    const removals = waiting.filter(({ kind }) => kind === 'end')
    return removals.map(({ input }) => (input as { tokenId: number }).tokenId).toSorted()
  }
  const kinds = async () => (await (await admin()).call(api.dashboard.attention)).map((a) => a.kind)
  const forgetServers = async () => {
    await hand.runAll()
    await t.db.update(tokens).set({ assignedInstanceId: null })
    clock.advance(2 * HOUR_MS)
    await hand.sweep()
  }

  test('beyond the cap wait for an operator, who sees each and confirms', async () => {
    const ids = await endedServers(101, 102, 103)
    clock.advance(7 * DAY_MS)
    await hand.sweep()
    await hand.sweep()
    expect(await ordered()).toEqual([])
    clock.advance(2 * HOUR_MS)
    await hand.sweep()
    expect(await ordered(), 'an hour later it is still too many').toEqual([])
    const operator = await admin()
    expect(await operator.call(api.dashboard.attention)).toContainEqual(
      expect.objectContaining({ kind: 'removals-held', count: 3 }),
    )
    const held = await operator.call(api.dashboard.removals)
    expect(held.map(({ tokenId }) => tokenId).toSorted()).toEqual(ids)
    expect(held[0]).toMatchObject({ cluster: 'Test', vmId: 101, client: expect.any(String) })
    // A server that is not held cannot be confirmed.
    const live = (await t.make.owned(t.cluster, 104, await t.make.client())).token.id
    await operator.call(api.dashboard.confirmRemovals, { body: { tokenIds: [...ids, live] } })
    await hand.sweep()
    expect(await ordered()).toEqual(ids)
    expect(await kinds()).not.toContain('removals-held')
    await forgetServers()
  })

  test('within the cap need no operator', async () => {
    const ids = await endedServers(101, 102)
    clock.advance(7 * DAY_MS)
    await hand.sweep()
    expect(await ordered()).toEqual(ids)
    await forgetServers()
  })

  test('do not follow from days in which the service was down, and renewal works throughout', async () => {
    const client = await t.make.client()
    const { token } = await t.make.owned(t.cluster, 101, client)
    await t.db.update(tokens).set({ expiresAt: clock.now() }).where(eq(tokens.id, token.id))
    await hand.sweep()
    clock.advance(DAY_MS)
    await hand.sweep()
    clock.advance(10 * DAY_MS)
    hand = byHand(t)
    await hand.sweep()
    await hand.sweep()
    expect(await ordered()).toEqual([])
    expect(await kinds()).toContain('time-in-doubt')
    await (await admin()).call(api.dashboard.confirmTime)
    expect(await kinds()).not.toContain('time-in-doubt')
    clock.advance(5 * DAY_MS)
    await hand.sweep()
    expect(await ordered(), 'six of its seven days').toEqual([])
    await hand.renewals.renew(actorOf(client), token.id)
    clock.advance(2 * DAY_MS)
    await hand.sweep()
    expect(await ordered()).toEqual([])
    await forgetServers()
  })

  test('that were enqueued are not carried out once the clock is set back', async () => {
    const [id = 0] = await endedServers(102)
    clock.advance(7 * DAY_MS)
    await hand.sweep()
    expect(await ordered()).toEqual([id])
    clock.set(new Date(clock.now().getTime() - 7 * DAY_MS))
    await hand.runAll()
    const [row] = await t.db.select().from(tokens).where(eq(tokens.id, id))
    expect(row).toMatchObject({ status: 'expired', assignedInstanceId: expect.any(Number) })
    clock.advance(7 * DAY_MS)
    await forgetServers()
  })

  test('a reservation made while the clock was ahead waits no longer than any other', async () => {
    const client = await t.make.client()
    const payBy = new Date(clock.now().getTime() + 45 * DAY_MS)
    const values = { userId: client.id, kind: 'renewal', planName: 'x', osType: 'y' } as const
    const { id } = await placeOrder(t.db, { ...values, amountCents: 500, payBy }, payBy)
    const order = async () => (await t.db.select().from(orders).where(eq(orders.id, id)))[0]
    await hand.lapse()
    expect(await order()).toMatchObject({ status: 'pending' })
    clock.advance(31 * 60_000)
    await hand.lapse()
    expect(await order()).toMatchObject({ status: 'cancelled' })
  })
})
