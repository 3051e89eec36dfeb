import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { webhookEvents } from '../db/schema/ledger.ts'
import { jobs } from '../db/schema/work.ts'
import { createParts } from '../parts.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { startBtcpay } from './testing/btcpay-stand-in.ts'
import type { Report } from './testing/stand-in-server.ts'
import { startStripe } from './testing/stripe-stand-in.ts'
import { openTill, type Till } from './testing/till.ts'
import { byHand } from './testing/till-by-hand.ts'

const MINUTE = 60_000
const clock = testClock()
const stripe = await startStripe({ clock })
const btcpay = await startBtcpay({ clock })
afterAll(async () => {
  await stripe.close()
  await btcpay.close()
})
beforeEach(() => {
  Object.assign(stripe.faults, { isAway: false, isBusy: false })
  Object.assign(btcpay.faults, { isAway: false, isBusy: false })
})

const nothing: Report = { payload: '', headers: {} }

/** For each provider, how a client pays in full with no further report to come. */
const PROVIDERS = [
  {
    name: 'stripe',
    stand: stripe,
    payInFull: (id: string) => stripe.pay(id),
  },
  {
    name: 'btcpay',
    stand: btcpay,
    async payInFull(id: string) {
      await btcpay.send(id, 500)
      await btcpay.confirm(id)
      return btcpay.reports.at(-1) ?? nothing
    },
  },
]

const CASES = EACH_DATABASE.flatMap((database) =>
  PROVIDERS.map((provider) => ({ ...provider, database })),
)

const partsOf = ({ t }: Till) => createParts(t.deps)

const soon = { timeout: 20_000, interval: 20 }

describe.each(CASES)('reports of $name on $database', async ({ name, stand, database, ...how }) => {
  const till = await openTill(stand, { database, clock, withJobs: true })
  const { t } = till
  const poll = partsOf(till).poll
  const written = async () => [
    (await t.db.select().from(webhookEvents)).length,
    (await t.db.select().from(jobs)).length,
  ]
  const statusOf = async (id: number) => (await till.order(id)).status

  test('a verified report is answered at once and then handled', async () => {
    const { order, token, payment } = await till.renewal()
    expect(await statusOf(order.id)).toBe('pending')
    const report = await how.payInFull(payment.providerPaymentId)
    expect(await till.deliver(report)).toEqual({ status: 200, body: { received: true } })
    await vi.waitFor(async () => expect(await statusOf(order.id)).toBe('active'), soon)
    expect(await till.paymentOf(order.id)).toMatchObject({ status: 'paid', receivedCents: 500 })
    const later = await till.token(token.id)
    expect(later.expiresAt).toEqual(new Date((token.expiresAt?.getTime() ?? 0) + 30 * DAY_MS))
    const outcome = async () => (await t.db.select().from(webhookEvents))[0]?.outcome
    await vi.waitFor(async () => expect(await outcome()).toBe(`order ${order.id}: paid`), soon)
  })

  test('a repeated report is accepted and changes nothing', async () => {
    const { order, token, payment } = await till.renewal()
    const report = await how.payInFull(payment.providerPaymentId)
    await Promise.all(Array.from({ length: 5 }, () => till.deliver(report)))
    await vi.waitFor(async () => expect(await statusOf(order.id)).toBe('active'), soon)
    const before = await written()
    expect((await till.deliver(report)).status).toBe(200)
    expect(await written()).toEqual(before)
    const { expiresAt } = await till.token(token.id)
    expect(expiresAt).toEqual(new Date((token.expiresAt?.getTime() ?? 0) + 30 * DAY_MS))
  })

  test.each([
    'null',
    'true',
    '0',
    '""',
    '[]',
    '{}',
    '{"id":1,"type":2}',
    '{"id":"","type":""}',
    '{"id":"evt_1","type":null}',
    `{"id":"${'x'.repeat(5000)}","type":"charge.refunded"}`,
    '{"id":"evt\\u0000","type":"charge.refunded","data":null}',
    '{"deliveryId":"a\\u0000","originalDeliveryId":"a\\u0000","type":"x","storeId":"y"}',
    '{"deliveryId":{},"originalDeliveryId":[],"type":"x","storeId":"y","invoiceId":7}',
    '[['.repeat(15_000),
  ])(
    'a signed body that is not a report is refused, and nothing is written: %.40s',
    async (payload) => {
      const before = await written()
      const answer = await till.deliver({ payload, headers: stand.sign(payload) })
      expect([400, 401]).toContain(answer.status)
      expect(await written()).toEqual(before)
    },
  )

  test('a forged report is refused, and nothing is written', async () => {
    const { order, payment } = await till.renewal()
    const { payload, headers } = await how.payInFull(payment.providerPaymentId)
    const before = await written()
    for (const forged of [
      { payload, headers: {} },
      { payload: `${payload} `, headers },
      { payload: '', headers },
    ]) {
      const answer = await till.deliver(forged)
      expect(answer).toMatchObject({ status: 401, body: { code: 'UNVERIFIED_WEBHOOK' } })
    }
    expect(await written()).toEqual(before)
    expect(await statusOf(order.id)).toBe('pending')
  })

  test('a report of a provider that is not in use is refused', async () => {
    const other = name === 'stripe' ? 'btcpay' : 'stripe'
    const { payment } = await till.renewal()
    const report = await how.payInFull(payment.providerPaymentId)
    expect((await till.deliver(report, other)).status).toBe(404)
  })

  test('a report about an unknown payment is stored and changes nothing', async () => {
    const { paymentId } = await createElsewhere()
    const report = await how.payInFull(paymentId)
    expect((await till.deliver(report)).status).toBe(200)
    const last = async () => (await t.db.select().from(webhookEvents)).toReversed()[0]
    await vi.waitFor(async () => expect((await last())?.outcome).toBe('nothing of ours'), soon)
  })

  const createElsewhere = async () => {
    const [provider] = (await createParts(t.deps).providers.now(t.db)).offered
    if (!provider) throw new Error('no provider is offered')
    return provider.createCheckout({
      orderId: 999_999,
      attempt: 1,
      amountCents: 500,
      currency: 'usd',
      description: 'Something of another shop',
      returnUrl: 'https://other.example',
      expiresAt: new Date(clock.now().getTime() + 30 * MINUTE),
    })
  }

  test('a report that arrives while the provider is unreachable is handled later', async () => {
    const { order, payment } = await till.renewal()
    const report = await how.payInFull(payment.providerPaymentId)
    stand.faults.isAway = true
    expect((await till.deliver(report)).status).toBe(200)
    const isOpen = async () => (await t.db.select().from(jobs)).every((job) => job.state === 'done')
    await vi.waitFor(async () => expect(await isOpen()).toBe(true), soon)
    expect(await statusOf(order.id)).toBe('pending')
    await poll.run()
    expect(await statusOf(order.id)).toBe('pending')
    stand.faults.isAway = false
    await poll.run()
    expect(await statusOf(order.id)).toBe('active')
    const rows = await t.db.select().from(webhookEvents)
    expect(rows.filter(({ handledAt }) => handledAt === null)).toEqual([])
  })

  test('after an outage of two hours, payments made meanwhile are found within five minutes', async () => {
    const paid = await Promise.all(Array.from({ length: 3 }, () => till.renewal()))
    const unpaid = await till.renewal()
    stand.faults.isAway = true
    for (const { payment } of paid) await how.payInFull(payment.providerPaymentId)
    const lastPoll = await poll.lastAt()
    for (let minutes = 0; minutes < 120; minutes += 30) {
      clock.advance(30 * MINUTE)
      await poll.run()
    }
    expect(await poll.lastAt()).toEqual(lastPoll)
    stand.faults.isAway = false
    // The poll runs every minute, so five runs are the time allowed.
    clock.advance(MINUTE)
    await poll.run()
    for (const { order } of paid) expect(await statusOf(order.id)).toBe('active')
    expect(await statusOf(unpaid.order.id)).toBe('pending')
    expect(await poll.lastAt()).toEqual(clock.now())
  })

  test('the operator sees the payment and its reports', async () => {
    const admin = t.as(await t.make.admin())
    expect(await admin.call(api.payments.status)).toMatchObject({
      provider: name,
      isTestMode: false,
      webhookUrl: `https://vps.example/api/webhooks/${name}`,
      lastWebhook: { outcome: expect.any(String) },
      lastPollAt: clock.now().toISOString(),
      openPayments: expect.any(Number),
      unclaimed: '0.00',
      isBalanced: true,
    })
    expect((await admin.call(api.payments.test)).message).toMatch(/ answers/)
    stand.faults.isAway = true
    const failed = await admin.attempt(api.payments.test)
    expect(failed).toMatchObject({ status: 503, body: { code: 'PAYMENT_UNAVAILABLE' } })
  })
})

test('a refund that is reported while Stripe is unreachable is found by the next poll', async () => {
  const till = await openTill(stripe, { clock })
  const hand = byHand(till)
  const { order, payment } = await till.renewal()
  await stripe.pay(payment.providerPaymentId)
  await hand.poll()
  const report = await stripe.sendBack(payment.providerPaymentId, 500)
  stripe.faults.isBusy = true
  expect((await till.deliver(report)).status).toBe(200)
  await hand.work()
  expect(await till.paymentOf(order.id)).toMatchObject({ status: 'paid', refundedCents: 0 })
  stripe.faults.isBusy = false
  await hand.poll()
  expect(await till.paymentOf(order.id)).toMatchObject({ status: 'refunded', refundedCents: 500 })
})

test('money that BTCPay once reported as settled stays received, even if BTCPay retracts it', async () => {
  const till = await openTill(btcpay, { clock })
  const hand = byHand(till)
  const { order, payment } = await till.renewal()
  await btcpay.mark(payment.providerPaymentId, 'Settled')
  await hand.poll()
  await btcpay.mark(payment.providerPaymentId, 'Invalid')
  await till.deliver(btcpay.reports.at(-1) ?? nothing)
  await hand.work()
  expect(await till.paymentOf(order.id)).toMatchObject({ status: 'paid', receivedCents: 500 })
  expect((await till.order(order.id)).status).toBe('active')
})

test('old reports are deleted, and a redelivery after that changes nothing', async () => {
  const later = testClock()
  const stand = await startBtcpay({ clock: later })
  const till = await openTill(stand, { clock: later, withJobs: true })
  const { reports } = partsOf(till)
  const filed = async () => (await till.t.db.select().from(webhookEvents)).length
  const { order, payment } = await till.renewal()
  await stand.send(payment.providerPaymentId, 500)
  await stand.confirm(payment.providerPaymentId)
  const report = stand.reports.at(-1) ?? nothing
  await till.deliver(report)
  await vi.waitFor(async () => expect((await till.order(order.id)).status).toBe('active'), soon)
  later.advance(89 * DAY_MS)
  await reports.prune()
  expect(await filed()).toBe(1)
  later.advance(2 * DAY_MS)
  await reports.prune()
  expect(await filed()).toBe(0)
  const before = await till.paymentOf(order.id)
  await till.deliver(report)
  await vi.waitFor(async () => {
    const [row] = await till.t.db.select().from(webhookEvents)
    expect(row?.handledAt).toBeTruthy()
  }, soon)
  expect(await till.paymentOf(order.id)).toEqual(before)
  await stand.close()
})

test('test mode accepts no reports', async () => {
  const t = await testApp()
  const reply = await t.app.inject({ method: 'POST', url: '/api/webhooks/stripe', payload: {} })
  expect(reply.statusCode).toBe(404)
  const status = await t.as(await t.make.admin()).call(api.payments.status)
  expect(status).toMatchObject({ provider: 'sandbox', isTestMode: true, webhookUrl: null })
})
