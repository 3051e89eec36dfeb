import { expect } from 'vitest'
import { creditOf } from '../../../src/server/ledger/credit.ts'
import { heldIn } from '../../../src/server/ledger/ledger.ts'
import { statement } from '../../../src/server/ledger/statement.ts'
import { redeemVoucher } from '../../../src/server/payments/testing/every-way.ts'
import type { Report, StandInFaults } from '../../../src/server/payments/testing/stand-in-server.ts'
import type { Till } from '../../../src/server/payments/testing/till.ts'
import type { byHand } from '../../../src/server/payments/testing/till-by-hand.ts'
import type { Person, TestClock } from '../../../src/server/testing/test-app.ts'
import { api } from '../../../src/shared/api/index.ts'
import { decimal } from '../../../src/shared/rules/money/money.ts'
import type { ProviderSide } from './payments-acts.ts'
import { createModel, type Kind, type ModelPayment } from './payments-model.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const PRICE = 500

/** What can happen between the provider and us. */
export const WAY = [
  'a report arrives',
  'another report arrives',
  'a report is replayed',
  'a report is forged',
  'the worker runs',
  'the worker runs again',
  'the worker is killed',
  'we poll',
  'the provider is away',
  'the provider is back',
  'a moment passes',
  'half an hour passes',
  'the client goes on paying',
  'two processes poll',
  'the client redeems a voucher',
] as const
type WayAct = (typeof WAY)[number]

export type World<Act extends string> = {
  stand: { reports: Report[]; faults: StandInFaults }
  side: ProviderSide<Act>
  till: Till
  hand: ReturnType<typeof byHand>
  clock: TestClock
  /** Of a second process on the same database. */
  other: { poll: () => Promise<unknown>; lapse: () => Promise<unknown> }
  operator: Person
}
type Entry = { report: Report; payment: ModelPayment }

/** One order, and everything that happens to it: the model runs beside it, and both must agree. */
export async function beginSequence<Act extends string>(world: World<Act>, kind: Kind) {
  const { stand, side, till, hand, clock, other, operator } = world
  const { t } = till
  const now = () => clock.now().getTime()
  const { client, token, orderId } = await PLACE[kind](till)
  const person = t.as(client)
  const payBy = now() + (kind === 'purchase' ? 30 * MINUTE : DAY)
  const paidUntil = token?.expiresAt?.getTime() ?? 0
  const model = createModel(kind, PRICE, { payBy, paidUntil, now })
  const reports: Entry[] = []
  const seen = new Set<Entry>()
  /** Stored, but not processed yet. */
  const waiting = new Set<Entry>()
  /** Those of them whose job has not run. */
  let queued: Entry[] = []

  const adopt = async () => {
    const row = (await till.payments(orderId)).at(-1)
    if (!row) throw new Error('no payment was opened')
    const { providerPaymentId: id, amountCents: asked, expiresAt } = row
    const endsAt = expiresAt?.getTime() ?? 0
    model.open({ id, asked, endsAt, truth: side.begin(asked, endsAt) })
  }
  await adopt()

  const atProvider = async (payment: ModelPayment, work: () => Promise<unknown>) => {
    const before = stand.reports.length
    await work()
    for (const report of stand.reports.slice(before)) reports.push({ report, payment })
  }

  const deliver = async (entry: Entry, report: Report, isGood: boolean) => {
    const before = await hand.reports()
    const { status } = await till.deliver(report)
    expect(status).toBe(isGood ? 200 : 401)
    const isNew = isGood && !seen.has(entry)
    expect(await hand.reports()).toBe(before + (isNew ? 1 : 0))
    if (!isNew) return
    seen.add(entry)
    waiting.add(entry)
    queued.push(entry)
  }

  const work = async () => {
    await hand.work()
    for (const entry of queued) {
      if (stand.faults.isBusy || !waiting.delete(entry)) continue
      model.look(entry.payment)
    }
    queued = []
  }

  const workAndDie = async () => {
    const [first] = queued
    await hand.workAndDie()
    if (!first || stand.faults.isBusy) return
    if (waiting.has(first)) model.look(first.payment)
    waiting.add(first)
  }

  const poll = async (isAlone = true) => {
    await Promise.all([hand.poll(), isAlone ? undefined : other.poll()])
    if (stand.faults.isBusy) return
    for (const { payment } of waiting) model.look(payment)
    waiting.clear()
    for (const payment of model.watched(now())) model.look(payment)
  }

  const pass = async (ms: number) => {
    clock.advance(ms)
    await side.passes?.(ms)
    await Promise.all([hand.lapse(), other.lapse()])
    model.lapse(now(), !stand.faults.isBusy)
  }

  const goOnPaying = async () => {
    const wasOpen = model.order.status === 'pending'
    const { status } = await person.attempt(api.billing.pay, { params: { id: orderId } })
    if (!wasOpen) return expect(status).toBe(409)
    model.spendCredit()
    if (model.order.status !== 'pending' || model.goodCheckout(now())) {
      return expect(status).toBe(200)
    }
    if (stand.faults.isBusy) return expect(status).toBe(503)
    expect(status).toBe(200)
    return await adopt()
  }

  const onTheWay = async (act: WayAct, pick: number) => {
    const entry = reports[pick % Math.max(1, reports.length)]
    switch (act) {
      case 'a report arrives':
      case 'another report arrives':
        return entry && (await deliver(entry, side.delivery(entry.report), true))
      case 'a report is replayed':
        return entry && (await deliver(entry, entry.report, side.isReplayable(entry.report, now())))
      case 'a report is forged':
        return entry && (await deliver(entry, forged(side.delivery(entry.report), pick), false))
      case 'the worker runs':
      case 'the worker runs again':
        return await work()
      case 'the worker is killed':
        return await workAndDie()
      case 'we poll':
        return await poll()
      case 'the provider is away':
        stand.faults.isBusy = true
        return undefined
      case 'the provider is back':
        stand.faults.isBusy = false
        return undefined
      case 'a moment passes':
        return await pass(2 * MINUTE)
      case 'half an hour passes':
        return await pass(31 * MINUTE)
      case 'the client goes on paying':
        return await goOnPaying()
      case 'two processes poll':
        return await poll(false)
      case 'the client redeems a voucher':
        await redeemVoucher(t, { operator, client, amount: '1.20' })
        return model.redeem(120)
    }
  }

  /** Our rows, in the model's terms. */
  const ours = async () => {
    const { status } = await till.order(orderId)
    const payments = (await till.payments(orderId)).map((row) => ({
      id: row.providerPaymentId,
      state: row.status,
      received: row.receivedCents,
      refunded: row.refundedCents,
      lost: row.lostCents,
    }))
    return { status, payments }
  }
  const theirs = () => ({
    status: model.order.status,
    payments: model.payments.map(({ id, known }) => ({ id, ...known })),
  })

  return {
    async step(act: WayAct | Act, pick: number): Promise<void> {
      const payment = model.payments[pick % model.payments.length]
      if (isOnTheWay(act)) await onTheWay(act, pick)
      else if (payment) {
        await atProvider(payment, () => side.happen(act, payment.id, payment.truth))
      }
      expect(await ours()).toEqual(theirs())
    },

    /** The provider is back, nothing more is sent, and every report arrives in the end. */
    async end(): Promise<void> {
      stand.faults.isBusy = false
      for (const payment of model.payments) {
        await atProvider(payment, () => side.finish(payment.id, payment.truth))
      }
      await poll()
      expect(await ours()).toEqual(theirs())
      for (const entry of reports) await deliver(entry, side.delivery(entry.report), true)
      await work()
      await pass(26 * 60 * MINUTE)
      expect(await ours()).toEqual(theirs())
    },

    /** Checks R6, and that nothing was given twice. */
    async audit(): Promise<string> {
      expect(model.fulfilments()).toBeLessThanOrEqual(1)
      const made = await hand.jobsOf('provision', orderId)
      expect(made).toHaveLength(kind === 'purchase' ? model.fulfilments() : 0)
      if (kind === 'renewal') {
        const { expiresAt } = await till.token(token?.id ?? 0)
        expect(expiresAt?.getTime()).toBe(model.paidUntil())
      }
      expect({
        held: await heldIn(t.db, 'held', orderId),
        earned: await heldIn(t.db, 'earned', orderId),
        credit: await creditOf(t.db, client.id),
      }).toEqual(model.purse)
      const kept = model.payments.reduce(
        (sum, { known }) => sum + known.received - known.refunded - known.lost,
        0,
      )
      const { held, earned, credit } = model.purse
      expect(held + earned + credit).toBe(kept + model.redeemed())
      expect(await statement(t.db)).toMatchObject({ isBalanced: true })
      return `${kind} ${model.order.status}`
    },
  }
}

const isOnTheWay = (act: string): act is WayAct => WAY.some((one) => one === act)

const PLACE = { renewal, purchase, 'top-up': topUp }

async function topUp(till: Till) {
  const client = await till.t.make.client()
  const body = { amount: decimal(PRICE) }
  const { order } = await till.t.as(client).call(api.credit.topUp, { body })
  return { client, token: undefined, orderId: order.id }
}

async function renewal(till: Till) {
  const { client, token, order } = await till.renewal()
  return { client, token, orderId: order.id }
}

async function purchase(till: Till) {
  const token = await till.stock()
  const client = await till.t.make.client()
  const params = { tokenId: String(token.id) }
  const { order } = await till.t.as(client).call(api.marketplace.purchase, { params })
  return { client, token, orderId: order.id }
}

/** Other bytes, another signature, or none. */
function forged({ payload, headers }: Report, pick: number): Report {
  const [name = '', proof = ''] = Object.entries(headers)[0] ?? []
  const digit = proof.at(-1) === '0' ? '1' : '0'
  const ways: Report[] = [
    { payload, headers: {} },
    { payload: `${payload} `, headers },
    { payload: payload.replace(/"type":"/, '"type":"x'), headers },
    { payload, headers: { [name]: `${proof.slice(0, -1)}${digit}` } },
  ]
  return ways[pick % ways.length] ?? { payload, headers: {} }
}
