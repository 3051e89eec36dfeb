import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../../db/schema/sales.ts'
import { creditOf } from '../../ledger/credit.ts'
import { statement } from '../../ledger/statement.ts'
import { createParts } from '../../parts.ts'
import { startBtcpay } from '../../payments/testing/btcpay-stand-in.ts'
import { startStripe } from '../../payments/testing/stripe-stand-in.ts'
import { openTill } from '../../payments/testing/till.ts'
import { byHand } from '../../payments/testing/till-by-hand.ts'
import { type Person, testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const clock = testClock()
const stripe = await startStripe({ clock })
const btcpay = await startBtcpay({ clock })
afterAll(async () => {
  await stripe.close()
  await btcpay.close()
})
const env = { ...stripe.env, ...btcpay.env, BTCPAY_PAYMENT_METHODS: 'BTC-LN,BTC-CHAIN' }

describe.each(EACH_DATABASE)('credit that a client buys, on %s', async (database) => {
  const stand = { env: { ...env, PAYMENT_PROVIDER: 'stripe,btcpay,manual' } }
  const till = await openTill(stand, { database, clock })
  const { t } = till
  const hand = byHand(till)
  const told = (report: Parameters<typeof till.deliver>[0]) => till.deliver(report, 'stripe')
  const operator = await t.make.admin()
  const { refund, settlement } = createParts(t.deps)

  const bought = async (amount: string, paymentMethod: string) => {
    const client = await t.make.client()
    const body = { amount, paymentMethod }
    const { order, checkoutUrl } = await t.as(client).call(api.credit.topUp, { body })
    const { id: paymentId, providerPaymentId: id } = await till.paymentOf(order.id)
    return {
      client,
      order,
      checkoutUrl,
      paymentId,
      id,
      credit: () => creditOf(t.db, client.id),
      status: async () => (await till.order(order.id)).status,
      look: () => t.as(client).call(api.billing.details, { params: { id: order.id } }),
    }
  }
  const cancelled = (id: number, to: 'provider' | 'credit' | 'none') =>
    t.as(operator).attempt(api.orders.update, {
      params: { id },
      body: { status: 'cancelled', refund: to },
    })
  const isBalanced = async () => {
    const { rows } = (await t.db.execute(
      sql`select posting from ledger group by posting having sum(amount_cents) <> 0`,
    )) as unknown as { rows: unknown[] }
    return rows.length === 0 && (await statement(t.db)).isBalanced
  }

  test('a card payment becomes credit once, however often it is reported', async () => {
    const { id, order, checkoutUrl, credit, status, look } = await bought('25.00', 'card')
    expect(order).toMatchObject({ kind: 'top-up', amount: '25.00', status: 'pending' })
    expect(checkoutUrl).toMatch(/^http/)
    expect(await credit()).toBe(0)
    const report = await stripe.pay(id)
    await told(report)
    await told(report)
    await hand.work()
    await hand.poll()
    expect(await credit()).toBe(2500)
    expect(await status()).toBe('active')
    expect((await look()).order).toMatchObject({ server: null, osType: null })
    expect((await statement(t.db)).earned).toBe(0)
    expect(await isBalanced()).toBe(true)
  })

  test('what comes too late, too little or too much is credit too', async () => {
    const late = await bought('10.00', 'bitcoin')
    clock.advance(DAY_MS + MINUTE_MS)
    await btcpay.expire(late.id)
    await hand.lapse()
    expect(await late.status()).toBe('cancelled')
    await btcpay.send(late.id, 1000)
    await btcpay.confirm(late.id)
    await hand.poll()
    expect(await late.credit()).toBe(1000)

    const part = await bought('10.00', 'bitcoin')
    await btcpay.send(part.id, 300)
    await btcpay.confirm(part.id)
    await hand.poll()
    expect(await part.credit()).toBe(0)
    clock.advance(DAY_MS + MINUTE_MS)
    await btcpay.expire(part.id)
    await hand.poll()
    await hand.lapse()
    expect(await part.credit()).toBe(300)
    expect(await part.status()).toBe('cancelled')

    const over = await bought('10.00', 'bitcoin')
    await btcpay.send(over.id, 1500)
    await btcpay.confirm(over.id)
    await hand.poll()
    expect(await over.credit()).toBe(1500)
    expect(await over.status()).toBe('active')
    expect(await isBalanced()).toBe(true)
  })

  test('a bank that takes it back takes the credit, and what was spent is owed', async () => {
    const { id, client, credit, status } = await bought('10.00', 'card')
    await told(await stripe.pay(id))
    await hand.work()
    await spend(client)
    expect(await credit()).toBe(500)
    await told(await stripe.dispute(id))
    await hand.work()
    await told(await stripe.loseDisputes(id))
    await hand.work()
    expect(await credit()).toBe(-500)
    const owing = await t.as(client).call(api.billing.overview)
    expect(owing).toMatchObject({ credit: '0.00', owed: '5.00' })
    expect(await isBalanced()).toBe(true)
    await told(await stripe.winDisputes(id))
    await hand.work()
    expect(await credit()).toBe(500)
    expect(await status()).toBe('active')
    expect(await isBalanced()).toBe(true)
  })

  const spend = async (client: Person) => {
    const { tokenId } = await till.stock()
    const { order } = await t.as(client).call(api.marketplace.purchase, { params: { tokenId } })
    expect(order.credit).toBe('5.00')
  }

  test('a part that is refunded leaves the order, and the whole ends it', async () => {
    const { id, credit, status } = await bought('10.00', 'card')
    await told(await stripe.pay(id))
    await hand.work()
    await told(await stripe.sendBack(id, 400))
    await hand.work()
    expect(await credit()).toBe(600)
    expect(await status()).toBe('active')
    await told(await stripe.sendBack(id, 600))
    await hand.work()
    expect(await credit()).toBe(0)
    expect(await status()).toBe('cancelled')
    expect(await isBalanced()).toBe(true)
  })

  test('an operator sends back what is not spent, and nothing else', async () => {
    const { id, client, order, paymentId, credit } = await bought('10.00', 'card')
    await told(await stripe.pay(id))
    await hand.work()
    for (const to of ['credit', 'none'] as const) {
      expect(await cancelled(order.id, to)).toMatchObject({
        status: 409,
        body: { message: 'A top-up is credit already. It can only be sent back.' },
      })
    }
    await spend(client)
    const { refundable } = await t.as(operator).call(api.orders.details, {
      params: { id: order.id },
    })
    expect(refundable).toEqual({ amount: '5.00', byProvider: true })
    expect((await cancelled(order.id, 'provider')).status).toBe(200)
    expect(await credit()).toBe(0)
    expect(await hand.jobsOf(refund.kind, order.id)).toHaveLength(1)
    await settlement.settle(paymentId, { state: 'paid', receivedCents: 0, refundedCents: 500 })
    expect(await credit()).toBe(0)
    expect(await isBalanced()).toBe(true)
  })

  test('credit that is spent cannot be sent back', async () => {
    const { id, client, order } = await bought('5.00', 'card')
    await told(await stripe.pay(id))
    await hand.work()
    await spend(client)
    expect(await cancelled(order.id, 'provider')).toMatchObject({ status: 409 })
    expect((await till.order(order.id)).status).toBe('active')
  })

  test('an operator marks a direct payment as received', async () => {
    const { order, credit } = await bought('7.50', 'manual')
    expect(order.payBy).toBeNull()
    await t.as(operator).call(api.orders.update, {
      params: { id: order.id },
      body: { status: 'paid' },
    })
    expect(await credit()).toBe(750)
    expect(await isBalanced()).toBe(true)
  })

  test('credit is not spent on credit, and cannot buy it', async () => {
    const { id, client } = await bought('10.00', 'card')
    await told(await stripe.pay(id))
    await hand.work()
    const as = t.as(client)
    const refusal = { status: 409, body: { message: expect.stringMatching(/^Credit cannot be/) } }
    const body = { amount: '5.00', paymentMethod: 'credit' }
    expect(await as.attempt(api.credit.topUp, { body })).toMatchObject(refusal)
    const { order } = await as.call(api.credit.topUp, { body: { ...body, paymentMethod: 'card' } })
    expect(order).toMatchObject({ status: 'pending', credit: '0.00' })
    const again = { params: { id: order.id }, body: { paymentMethod: 'credit' } }
    expect(await as.attempt(api.billing.pay, again)).toMatchObject(refusal)
    expect(await creditOf(t.db, client.id)).toBe(1000)
  })

  test('one top-up is open at a time, also for two requests at once', async () => {
    const client = await t.make.client()
    const ask = (amount: string) =>
      t.as(client).attempt(api.credit.topUp, { body: { amount, paymentMethod: 'bitcoin' } })
    const both = await Promise.all([ask('5.00'), ask('5.00'), ask('6.00')])
    expect(both.map(({ status }) => status)).toEqual([201, 201, 201])
    const rows = await t.db.select().from(orders).where(eq(orders.userId, client.id))
    expect(rows.filter(({ status }) => status === 'pending')).toHaveLength(1)
  })

  test('a provider that is away leaves nothing behind', async () => {
    const client = await t.make.client()
    btcpay.faults.isAway = true
    const body = { amount: '5.00', paymentMethod: 'bitcoin' }
    expect(await t.as(client).attempt(api.credit.topUp, { body })).toMatchObject({ status: 503 })
    btcpay.faults.isAway = false
    const { orders: mine } = await t.as(client).call(api.billing.overview)
    expect(mine.map(({ status }) => status)).toEqual(['cancelled'])
    await hand.poll()
  })

  test.each(['0.50', '1000.01', '-5', 'ten'])(
    '%s is refused and changes nothing',
    async (amount) => {
      const client = await t.make.client()
      const reply = await t.as(client).attempt(api.credit.topUp, { body: { amount } })
      expect(reply.status).toBe(400)
      expect((await t.as(client).call(api.billing.overview)).orders).toEqual([])
    },
  )
})

test('an instant payment is credit at once', async () => {
  const t = await testApp({})
  const client = await t.make.client()
  const reply = await t.as(client).call(api.credit.topUp, { body: { amount: '12.00' } })
  expect(reply).toMatchObject({ order: { status: 'active', amount: '12.00' } })
  expect(reply.checkoutUrl).toBeUndefined()
  expect(await t.as(client).call(api.billing.overview)).toMatchObject({ credit: '12.00' })
})
