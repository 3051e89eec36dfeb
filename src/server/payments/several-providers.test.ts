import { eq } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { payments } from '../db/schema/sales.ts'
import { creditOf } from '../ledger/credit.ts'
import { statement } from '../ledger/statement.ts'
import { createParts } from '../parts.ts'
import { testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { startBtcpay } from './testing/btcpay-stand-in.ts'
import { startStripe } from './testing/stripe-stand-in.ts'
import { openTill } from './testing/till.ts'
import { byHand } from './testing/till-by-hand.ts'

type Asked = { checkout: { paymentMethods?: string[] } }

const clock = testClock()
const stripe = await startStripe({ clock })
const btcpay = await startBtcpay({ clock })
afterAll(async () => {
  await stripe.close()
  await btcpay.close()
})
const BTCPAY_PAYMENT_METHODS = 'BTC-LN,BTC-CHAIN'
const env = { ...stripe.env, ...btcpay.env, BTCPAY_PAYMENT_METHODS }

describe.each(BOTH_DATABASES)('several providers at once, on %s', async (database) => {
  const stand = { env: { ...env, PAYMENT_PROVIDER: 'stripe,btcpay,manual' } }
  const till = await openTill(stand, { database, clock })
  const { t } = till
  const hand = byHand(till)
  const { visitor } = t
  const admin = await t.make.admin()

  beforeEach(async () => {
    Object.assign(stripe.faults, { isAway: false, isBusy: false })
    Object.assign(btcpay.faults, { isAway: false, isBusy: false })
    await hand.poll()
  })

  const offered = async () => (await visitor.call(api.paymentMethods.list)).map(({ id }) => id)

  const renew = async (paymentMethod?: string) => {
    const { client, token } = await till.tenant()
    const body = paymentMethod === undefined ? {} : { paymentMethod }
    const call = { params: { id: token.id }, body }
    const answer = await t.as(client).attempt(api.client.renew, call)
    return { client, token, answer }
  }
  const renewed = async (paymentMethod?: string) => {
    const { client, token } = await till.tenant()
    const body = paymentMethod === undefined ? {} : { paymentMethod }
    const made = await t.as(client).call(api.client.renew, { params: { id: token.id }, body })
    const payment = await till.paymentOf(made.order.id)
    const switchTo = (way?: string) =>
      t.as(client).call(api.billing.pay, {
        params: { id: made.order.id },
        body: way === undefined ? {} : { paymentMethod: way },
      })
    const look = () => t.as(client).call(api.billing.details, { params: { id: made.order.id } })
    return { client, token, ...made, payment, switchTo, look }
  }

  const methodsOf = ({ providerPaymentId }: { providerPaymentId: string }) =>
    (btcpay.invoices.get(providerPaymentId)?.request as Asked | undefined)?.checkout.paymentMethods

  test('a visitor reads every way, in the order of the environment', async () => {
    expect(await visitor.call(api.paymentMethods.list)).toEqual([
      { id: 'card', name: 'Card', kind: 'card' },
      { id: 'lightning', name: 'Lightning', kind: 'lightning' },
      { id: 'bitcoin', name: 'Bitcoin', kind: 'bitcoin' },
      { id: 'manual', name: 'Direct payment', kind: 'manual' },
      { id: 'credit', name: 'Credit', kind: 'credit' },
    ])
  })

  test.each([
    [undefined, 'stripe', null],
    ['card', 'stripe', 'card'],
    ['lightning', 'btcpay', 'lightning'],
    ['bitcoin', 'btcpay', 'bitcoin'],
    ['manual', 'manual', 'manual'],
  ])('a payment by %s is made at %s', async (way, provider, stored) => {
    const { payment } = await renewed(way)
    expect(payment).toMatchObject({ provider, way: stored })
  })

  test('an invoice for Lightning can be paid by Lightning only', async () => {
    const { payment } = await renewed('lightning')
    expect(methodsOf(payment)).toEqual(['BTC-LN'])
  })

  test.each(['monero', 'sandbox', 'stripe'])('%s is no way to pay here', async (way) => {
    const { answer, token } = await renew(way)
    expect(answer.status).toBe(400)
    expect(answer.body?.message).toContain('card, lightning, bitcoin, manual, credit')
    expect((await till.token(token.id)).expiresAt).toEqual(token.expiresAt)
  })

  test('credit alone pays only what it covers, and nothing changes where it does not', async () => {
    const { answer, client } = await renew('credit')
    expect(answer).toMatchObject({ status: 409 })
    expect(answer.body?.message).toContain('$5.00 is missing')
    expect((await t.as(client).call(api.billing.overview)).orders).toEqual([])
  })

  test('a client who changes the way has both payments open; the second to arrive is credit', async () => {
    const { client, order, payment, switchTo, look } = await renewed('card')
    await switchTo('lightning')
    expect((await look()).checkout).toMatchObject({ provider: 'btcpay', way: 'lightning' })
    const [, second] = await till.payments(order.id)
    const invoice = second?.providerPaymentId ?? ''
    await btcpay.send(invoice, 500, 'BTC-LN')
    await btcpay.confirm(invoice)
    await hand.poll()
    expect((await till.order(order.id)).status).toBe('active')
    await stripe.pay(payment.providerPaymentId)
    await hand.poll()
    await hand.poll()
    expect(await creditOf(t.db, client.id)).toBe(500)
    expect((await statement(t.db)).isBalanced).toBe(true)
  })

  test('a client who comes back to a way finds the payment that is open there', async () => {
    const { order, switchTo, look } = await renewed('lightning')
    clock.advance(1000)
    await switchTo('bitcoin')
    clock.advance(1000)
    await switchTo('lightning')
    expect(await till.payments(order.id)).toHaveLength(2)
    expect((await look()).checkout).toMatchObject({ way: 'lightning' })
  })

  test('two ways that are chosen at the same moment are two invoices', async () => {
    const { client, token } = await till.tenant()
    const renewal = (paymentMethod: string) =>
      t.as(client).call(api.client.renew, { params: { id: token.id }, body: { paymentMethod } })
    const [{ order }] = await Promise.all([renewal('lightning'), renewal('bitcoin')])
    const rows = await till.payments(order.id)
    expect(rows.map(({ way }) => way).toSorted()).toEqual(['bitcoin', 'lightning'])
    for (const row of rows) {
      expect(methodsOf(row)).toEqual([row.way === 'lightning' ? 'BTC-LN' : 'BTC-CHAIN'])
    }
  })

  test('an outage of one is said, hides only that one, and is over when it answers', async () => {
    const before = await renewed('card')
    stripe.faults.isAway = true
    const { answer } = await renew('card')
    expect(answer.status).toBe(503)
    expect(answer.body?.message).toBe(
      'Card payments are not possible right now. Please choose another way to pay.',
    )
    expect(await offered()).toEqual(['lightning', 'bitcoin', 'manual', 'credit'])
    expect(await visitor.call(api.paymentMethods.outages)).toMatchObject([
      { id: 'card', message: 'Card payments are not possible right now.' },
    ])
    const status = await t.as(admin).call(api.payments.status)
    expect(status.providers.filter(({ awaySince }) => awaySince).map(({ name }) => name)).toEqual([
      'stripe',
    ])
    // An old program that names no way goes on with the next one.
    expect((await renewed()).payment.provider).toBe('btcpay')
    // What was under way goes on.
    await stripe.pay(before.payment.providerPaymentId)
    stripe.faults.isAway = false
    await hand.poll()
    expect((await till.order(before.order.id)).status).toBe('active')
    expect(await offered()).toContain('card')
  })

  test('one that is away holds up neither reports nor polls of the others', async () => {
    const { order, payment } = await renewed('bitcoin')
    await renewed('card')
    stripe.faults.isAway = true
    await btcpay.send(payment.providerPaymentId, 500)
    await btcpay.confirm(payment.providerPaymentId)
    await hand.poll()
    expect((await till.order(order.id)).status).toBe('active')
  })

  test('a report of one provider is refused by the address of another', async () => {
    const { payment } = await renewed('card')
    const report = await stripe.pay(payment.providerPaymentId)
    expect((await till.deliver(report, 'btcpay')).status).toBe(401)
    expect((await till.deliver(report, 'stripe')).status).toBe(200)
  })

  test('an order by hand has no deadline, shows the instructions, and is marked as paid', async () => {
    const rows = (await t.as(admin).call(api.payments.status)).ways
    const ways = rows.map(({ id }) => ({ id, name: null, isHidden: false }))
    const arrange = (instructions: string | null) =>
      t.as(admin).call(api.payments.arrange, { body: { ways, instructions } })
    await arrange('Bring it to the market on Friday.')
    const { order, look } = await renewed('manual')
    expect(await look()).toMatchObject({
      order: { payBy: null },
      checkout: { provider: 'manual', instructions: 'Bring it to the market on Friday.' },
    })
    await t
      .as(admin)
      .call(api.orders.update, { params: { id: order.id }, body: { status: 'paid' } })
    expect((await till.order(order.id)).status).toBe('active')
    await arrange(null)
  })

  test('the operator orders, names and hides ways; payments under way go on', async () => {
    const { order, payment } = await renewed('bitcoin')
    const arranged = [
      { id: 'manual', name: 'Cash', isHidden: false },
      { id: 'card', name: null, isHidden: false },
      { id: 'lightning', name: null, isHidden: true },
      { id: 'bitcoin', name: null, isHidden: true },
    ]
    const arrange = (ways: typeof arranged) =>
      t.as(admin).attempt(api.payments.arrange, { body: { ways, instructions: null } })
    await arrange(arranged)
    expect(await visitor.call(api.paymentMethods.list)).toMatchObject([
      { id: 'manual', name: 'Cash', kind: 'manual' },
      { id: 'card' },
      { id: 'credit' },
    ])
    expect((await renew('bitcoin')).answer.status).toBe(400)
    expect((await renewed()).payment.provider).toBe('manual')
    await btcpay.send(payment.providerPaymentId, 500)
    await btcpay.confirm(payment.providerPaymentId)
    await hand.poll()
    expect((await till.order(order.id)).status).toBe('active')

    expect((await arrange(arranged.slice(1))).status).toBe(400)
    expect((await arrange([...arranged, ...arranged.slice(3)])).status).toBe(400)
    const none = arranged.map((way) => ({ ...way, isHidden: true }))
    expect((await arrange(none)).body.message).toContain('At least one way')
    const usual = ['card', 'lightning', 'bitcoin', 'manual']
    await arrange(usual.map((id) => ({ id, name: null, isHidden: false })))
    expect(await offered()).toEqual([...usual, 'credit'])
  })

  test('the operator tests one provider at a time', async () => {
    const ask = (provider: string) => t.as(admin).attempt(api.payments.test, { body: { provider } })
    expect((await ask('btcpay')).status).toBe(200)
    expect((await ask('paypal')).status).toBe(404)
    btcpay.faults.refusesKey = true
    expect((await ask('btcpay')).body.message).toContain('BTCPAY_API_KEY')
    btcpay.faults.refusesKey = false
  })

  test('payments of a provider that is no longer offered are still settled and refunded', async () => {
    const { order, payment } = await renewed('card')
    const later = createParts({
      ...t.deps,
      config: { ...t.deps.config, paymentProviders: ['btcpay'] },
    })
    expect((await later.ways.offered(t.db)).map(({ id }) => id)).not.toContain('card')
    const report = await stripe.pay(payment.providerPaymentId)
    await later.webhooks.receive('stripe', Buffer.from(report.payload), report.headers)
    await later.poll.run()
    expect((await till.order(order.id)).status).toBe('active')
    const [row] = await t.db.select().from(payments).where(eq(payments.orderId, order.id))
    const { named } = await later.providers.now(t.db)
    expect(named(row?.provider ?? '')?.refund).toBeDefined()
  })
})
