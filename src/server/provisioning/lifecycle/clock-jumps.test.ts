import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { type SimApp, testApp } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { actorOf, byHand } from '../testing/by-hand.ts'
import { JUMPS, machineClock } from '../testing/machine-clock.ts'
import { openShop } from '../testing/shop.ts'

const inDays = (ms: number) => `${ms > 0 ? '+' : '-'}${Math.abs(ms) / HOUR_MS} h`

describe.each(BOTH_DATABASES)('on %s a clock that is set wrong', async (database) => {
  const m = machineClock()
  const clock = m.boot()
  const t = await testApp({ database, sim: true, clock })
  const shop = await openShop(t)
  let hand = byHand(t)

  const buy = async (values: Record<string, unknown> = {}) => {
    const buyer = await t.make.client()
    const made = await shop.token(values)
    const { jobId } = await hand.sales.claim(actorOf(buyer), made.tokenId, 'purchase')
    await hand.runToEnd(jobId)
    return { ...made, actor: actorOf(buyer) }
  }
  const tick = async () => {
    clock.compare(m.wall())
    await hand.sweep()
    await hand.lapse()
    await hand.runAll()
  }
  const pass = async (ms: number) => {
    m.pass(ms)
    await tick()
  }
  const statesOf = (app: Pick<SimApp, 'db'>) =>
    app.db
      .select({ id: tokens.id, status: tokens.status, instance: tokens.assignedInstanceId })
      .from(tokens)
      .orderBy(tokens.id)
  const vms = () =>
    [...t.sim.state.vms.values()].map(({ vmid, qmp }) => `${vmid} ${qmp}`).toSorted()

  // One server of each kind.
  await shop.token()
  await shop.token({ tokenType: 'ready', instanceId: (await shop.vm(102)).id })
  const running = await buy()
  const inGrace = await buy({ durationDays: 1 })
  const kept = await buy()
  await hand.renewals.cancel(kept.actor, kept.id)
  await pass(DAY_MS)
  await pass(HOUR_MS)
  const reserved = await shop.token()
  const claimer = await t.make.client()
  await t.db
    .update(tokens)
    .set({ status: 'pending', assignedUserId: claimer.id })
    .where(eq(tokens.id, reserved.id))
  const before = { states: await statesOf(t), vms: vms() }

  test('is tested on one server of every kind', () => {
    const kinds = new Set(before.states.map(({ status }) => status))
    expect([...kinds].toSorted()).toEqual([
      'assigned',
      'available',
      'cancelled',
      'expired',
      'pending',
      'ready',
    ])
  })

  test.each(JUMPS)(
    'by %i ms under a running server changes nothing, there and back',
    async (ms) => {
      m.jump(ms)
      for (let n = 0; n < 3; n += 1) await pass(3000)
      expect(await statesOf(t), inDays(ms)).toEqual(before.states)
      expect(vms()).toEqual(before.vms)
      m.jump(-ms)
      for (let n = 0; n < 3; n += 1) await pass(3000)
      expect(await statesOf(t)).toEqual(before.states)
      expect(vms()).toEqual(before.vms)
      expect(clock.jumpMs()).toBe(0)
    },
  )

  test.each(JUMPS)(
    'by %i ms at a restart destroys nothing, and its effects are undone once it is right again',
    async (ms) => {
      m.jump(ms)
      const wrong = await testApp({ on: t.database, clock: m.boot() })
      await wrong.deps.links.refresh()
      await wrong.deps.hypervisors.of(t.cluster.id).inventory.refresh()
      const there = byHand(wrong)
      for (let n = 0; n < 3; n += 1) {
        m.pass(3000)
        await there.sweep()
        await there.lapse()
        await there.runAll()
      }
      expect(t.sim.state.vms.size).toBe(before.vms.length)
      expect((await statesOf(wrong)).map(({ instance }) => instance)).toEqual(
        before.states.map(({ instance }) => instance),
      )
      await wrong.close()
      m.jump(-ms)
      hand = byHand(t)
      for (let n = 0; n < 3; n += 1) await pass(3000)
      expect(await statesOf(t)).toEqual(before.states)
      expect(vms()).toEqual(before.vms)
    },
  )

  test('does not prevent renewals, which count from the time that did not jump', async () => {
    m.jump(45 * DAY_MS)
    await pass(3000)
    await hand.renewals.renew(inGrace.actor, inGrace.id)
    await pass(3000)
    const token = await shop.tokenRow(inGrace.id)
    expect(token.status).toBe('assigned')
    expect(Number(token.expiresAt)).toBeLessThan(clock.now().getTime() + 2 * DAY_MS)
    m.jump(-45 * DAY_MS)
    await pass(3000)
    expect((await shop.tokenRow(inGrace.id)).status).toBe('assigned')
    expect((await shop.tokenRow(running.id)).status).toBe('assigned')
  })

  test('is accepted once an operator confirms it, and still destroys nothing', async () => {
    const count = t.sim.state.vms.size
    m.jump(45 * DAY_MS)
    await pass(3000)
    const admin = shop.admin
    expect(await admin.call(api.dashboard.attention)).toContainEqual(
      expect.objectContaining({
        kind: 'time-in-doubt',
        message: 'The clock jumped forward by 45 days. Hushbox goes on with the old time.',
      }),
    )
    await admin.call(api.dashboard.confirmTime)
    clock.adopt()
    await pass(3000)
    await pass(3000)
    expect((await shop.tokenRow(running.id)).status).toBe('expired')
    expect(t.sim.state.vms.size).toBe(count)
    const [row] = await t.db.select().from(instances).where(eq(instances.tokenId, running.id))
    expect(row).toBeDefined()
    await hand.renewals.renew(running.actor, running.id)
    await pass(3000)
    expect((await shop.tokenRow(running.id)).status).toBe('assigned')
  })
})
