import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { serviceTime } from '../../db/schema/service-time.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { creditOf } from '../../ledger/credit.ts'
import { lockOrder, moveOrder } from '../../orders/orders.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { answersBySsh } from '../testing/answers.ts'
import { actorOf, asBegins, type Bend, byHand } from '../testing/by-hand.ts'
import { openSilence } from '../testing/silence.ts'
import { forgetDeadlines } from './silence.ts'

const SECOND_MS = 1000
const TEN_MINUTES_MS = 10 * MINUTE_MS

/** The job reaches the proof and then waits, as for a cluster or for its next turn. */
const waitsAt = (name: string): Bend =>
  asBegins(name, () => Promise.reject(new AppError('CLUSTER_UNAVAILABLE', 'away')))

describe.each(BOTH_DATABASES)('an order whose server is being made, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const world = await openSilence(t, clock)
  const { shop, hand, buy, pass } = world

  const waiting = async (at = 'proof') => {
    world.answer(false)
    const sale = await buy()
    await expect(hand.run(sale.jobId, waitsAt(at))).rejects.toThrow(RunAgainError)
    world.answer(true)
    return sale
  }
  const silentRun = (jobId: string) => {
    world.answer(false)
    const late = asBegins('proof', () => pass(TEN_MINUTES_MS))
    return hand.run(jobId, late).finally(() => world.answer(true))
  }

  test('is paid at the moment the server answers, and its term starts then', async () => {
    const sale = await buy()
    const later = asBegins('proof', async () => {
      expect(await world.moneyOf(sale)).toEqual({ held: 500, earned: 0, credit: 0 })
      await pass(MINUTE_MS)
    })
    await hand.run(sale.jobId, later)
    await world.expectDelivered(sale)
    const order = await shop.orderRow(sale.order.id)
    expect(order).toMatchObject({ answeredBy: 'agent', hostKey: null, answeredAt: clock.now() })
    const { expiresAt } = await shop.tokenRow(sale.token.id)
    expect(Number(expiresAt)).toBe(clock.now().getTime() + 30 * DAY_MS)
  })

  test('keeps the host key that the server showed', async () => {
    world.answer(false)
    const sale = await buy()
    await hand.run(sale.jobId, await answersBySsh(t))
    world.answer(true)
    await world.expectDelivered(sale)
    const params = { id: sale.order.id }
    const { order } = await t.as(sale.buyer).call(api.billing.details, { params })
    expect(order).toMatchObject({
      beganAt: null,
      answer: { by: 'ssh', hostKey: expect.stringMatching(/^SHA256:/) },
    })
  })

  test('of a server that runs already is paid at once', async () => {
    const vm = await shop.vm(102)
    const sale = await buy({ tokenType: 'ready', instanceId: vm.id })
    await hand.run(sale.jobId)
    await world.expectDelivered(sale)
  })

  test('comes back if the server stays silent, and the server is removed', async () => {
    const sale = await buy()
    await silentRun(sale.jobId)
    await world.expectReturned(sale)
    await world.expectRemoved(sale)
    const [told] = await t.as(sale.buyer).call(api.jobs.list)
    expect(told?.error).toBe('It did not answer in 10 minutes. Your money is back.')
  })

  test('comes back in time though nothing works on it, and not a second early', async () => {
    const sale = await waiting()
    await pass(TEN_MINUTES_MS - SECOND_MS)
    await hand.silence()
    expect(await world.moneyOf(sale)).toEqual({ held: 500, earned: 0, credit: 0 })
    await pass(10 * SECOND_MS)
    await hand.silence()
    await world.expectReturned(sale)
    // The machine goes once its job runs again.
    await hand.run(sale.jobId)
    await world.expectRemoved(sale)
  })

  test('has its ten minutes though nobody looked at the time for an hour before', async () => {
    await hand.sweep()
    clock.advance(60 * MINUTE_MS)
    const sale = await waiting()
    await hand.sweep()
    await hand.silence()
    expect(await world.moneyOf(sale)).toEqual({ held: 500, earned: 0, credit: 0 })
    clock.advance(TEN_MINUTES_MS - SECOND_MS)
    await hand.sweep()
    await hand.silence()
    expect(await world.moneyOf(sale)).toEqual({ held: 500, earned: 0, credit: 0 })
    clock.advance(10 * SECOND_MS)
    await hand.sweep()
    await hand.silence()
    await world.expectReturned(sale)
    await hand.run(sale.jobId)
  })

  test('is not delivered any more once the money is back', async () => {
    const sale = await buy()
    const late = asBegins('assign', async () => {
      await pass(TEN_MINUTES_MS)
      await hand.silence()
    })
    await hand.run(sale.jobId, late)
    await world.expectReturned(sale)
    await world.expectRemoved(sale)
  })

  test('comes back once, whichever of two processes is faster', async () => {
    const other = byHand(await testApp({ on: t.database, clock }))
    const sales = [await waiting(), await waiting(), await waiting()]
    await pass(TEN_MINUTES_MS)
    await Promise.all([hand.silence(), other.silence(), hand.silence(), other.silence()])
    for (const sale of sales) {
      await world.expectReturned(sale)
      expect(await creditOf(t.db, sale.buyer.id)).toBe(500)
      await hand.run(sale.jobId)
    }
  })

  test('is either paid or returned if the answer and the deadline meet', async () => {
    const other = byHand(await testApp({ on: t.database, clock }))
    const sale = await buy()
    await expect(hand.run(sale.jobId, waitsAt('assign'))).rejects.toThrow(RunAgainError)
    await pass(TEN_MINUTES_MS)
    await Promise.all([hand.run(sale.jobId), other.silence()])
    const { earned, held, credit } = await world.moneyOf(sale)
    expect(held).toBe(0)
    expect([earned, credit].toSorted()).toEqual([0, 500])
  })

  test.each(['start', 'firmware', 'wait', 'proof', 'unseed', 'assign'])(
    'whose process is killed right before %s is paid if the server answers in time',
    async (step) => {
      const sale = await buy()
      await expect(hand.run(sale.jobId, waitsAt(step))).rejects.toThrow(RunAgainError)
      await pass(5 * MINUTE_MS)
      await hand.silence()
      await hand.run(sale.jobId)
      await world.expectDelivered(sale)
    },
  )

  test('does not come back by a clock that is in doubt', async () => {
    const sale = await waiting()
    await pass(TEN_MINUTES_MS)
    await t.db.update(serviceTime).set({ gapMs: 2 * DAY_MS })
    await hand.silence()
    expect(await world.moneyOf(sale)).toEqual({ held: 500, earned: 0, credit: 0 })
    await t.db.update(serviceTime).set({ gapMs: null })
    await hand.silence()
    await world.expectReturned(sale)
    await hand.run(sale.jobId)
  })

  test('has its ten minutes again after a backup is restored', async () => {
    const sale = await waiting()
    await pass(TEN_MINUTES_MS)
    await forgetDeadlines(t.db)
    await hand.silence()
    const vmId = (await shop.instancesOf(sale.token.id))[0]?.vmId ?? 0
    const vm = t.sim.state.vms.get(vmId)
    if (vm) vm.guest.agent = 'alive'
    await hand.run(sale.jobId)
    await world.expectDelivered(sale)
    expect(await shop.orderRow(sale.order.id)).toMatchObject({ answerByMs: expect.any(Number) })
  })

  test('that is tried again has its ten minutes again', async () => {
    const sale = await buy()
    const broken = asBegins('proof', () => Promise.reject(new AppError('NOT_FOUND', 'Gone.')))
    await hand.run(sale.jobId, broken)
    expect(await shop.orderRow(sale.order.id)).toMatchObject({ status: 'paid' })
    await pass(2 * TEN_MINUTES_MS)
    await hand.retry(sale.jobId)
    const swept = asBegins('start', () => hand.silence())
    await hand.run(sale.jobId, swept)
    await world.expectDelivered(sale)
  })

  test('of a free trial that stays silent takes no money and does not use the trial up', async () => {
    const sale = await buy({ monthlyPrice: '0.00' })
    await silentRun(sale.jobId)
    expect(await shop.orderRow(sale.order.id)).toMatchObject({
      status: 'cancelled',
      failure: 'It did not answer in 10 minutes. It is removed. You can order another one.',
    })
    const next = await shop.token({ monthlyPrice: '0.00' })
    const again = await hand.sales.claim(actorOf(sale.buyer), next.tokenId, 'trial')
    await hand.run(again.jobId)
    expect(await shop.orderRow(again.order.id)).toMatchObject({ status: 'active' })
  })

  test('that is retried by hand after its money is back takes nothing from a later order', async () => {
    const sale = await buy()
    await silentRun(sale.jobId)
    const again = await hand.sales.claim(actorOf(sale.buyer), sale.token.tokenId, 'purchase')
    await hand.retry(sale.jobId)
    await hand.run(sale.jobId)
    await hand.run(again.jobId)
    expect(await shop.orderRow(again.order.id)).toMatchObject({ status: 'active' })
  })
})

// The embedded database runs one transaction at a time, so only PostgreSQL has anything to lock.
test('an answer that is stored while the sweep waits for the order is not taken back', async () => {
  const clock = testClock()
  const t = await testApp({ sim: true, clock })
  const { hand, buy, pass, ...world } = await openSilence(t, clock)
  const sale = await buy()
  await expect(hand.run(sale.jobId, waitsAt('assign'))).rejects.toThrow(RunAgainError)
  await pass(TEN_MINUTES_MS)
  const locked = Promise.withResolvers<void>()
  const mayGoOn = Promise.withResolvers<void>()
  const answering = t.db.transaction(async (tx) => {
    const order = await lockOrder(tx, sale.order.id)
    locked.resolve()
    await mayGoOn.promise
    const values = { answeredAt: clock.now(), answeredBy: 'ssh' as const }
    await moveOrder(tx, order, { to: 'active', now: clock.now(), values })
  })
  await locked.promise
  const sweeping = hand.silence()
  await vi.waitFor(async () => {
    const { rows } = (await t.db.execute(
      sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )) as unknown as { rows: unknown[] }
    expect(rows).toHaveLength(1)
  }, 10_000)
  mayGoOn.resolve()
  await Promise.all([answering, sweeping])
  expect(await world.shop.orderRow(sale.order.id)).toMatchObject({ status: 'active' })
  expect(await world.moneyOf(sale)).toEqual({ held: 0, earned: 500, credit: 0 })
})
