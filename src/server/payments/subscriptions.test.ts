import { eq } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { aboutOrder } from '../audit/about-order.ts'
import { auditLog } from '../db/schema/accounts.ts'
import { orders, payments, subscriptions } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { statement } from '../ledger/statement.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { startStripe } from './testing/stripe-stand-in.ts'
import { openTill } from './testing/till.ts'
import { byHand } from './testing/till-by-hand.ts'

const MONTH = 30 * DAY_MS
/** What the audit log says of an order that renews. */
const RENEWED = ['order.create', 'token.renew', 'order.paid']

describe.each(EACH_DATABASE)('a server with a subscription, on %s', async (database) => {
  const clock = testClock()
  const stripe = await startStripe({ clock })
  afterAll(() => stripe.close())
  const till = await openTill(stripe, { database, clock })
  const { t } = till
  const hand = byHand(till)
  const boss = await t.make.admin()
  let delivered = 0
  beforeEach(() => {
    stripe.faults.isBusy = false
  })
  const plan = await t.as(boss).call(api.payments.addPlan, {
    body: { name: 'Monthly', monthlyPrice: '5.00', stripePriceId: 'price_500' },
  })

  /** Delivers every Stripe report since the last call, twice and in reverse order. */
  const hear = async () => {
    const fresh = stripe.reports.slice(delivered)
    delivered = stripe.reports.length
    for (const { payload } of [...fresh.toReversed(), ...fresh]) {
      expect((await till.deliver({ payload, headers: stripe.sign(payload) })).status).toBe(200)
    }
    await hand.work()
  }
  const sessionOf = (url: string) => url.split('/').at(-1) ?? ''
  const begin = async () => {
    const { client, token } = await till.tenant()
    const params = { id: token.id }
    const { checkoutUrl } = await t.as(client).call(api.billing.subscribe, { params })
    const id = await stripe.subscribe(sessionOf(checkoutUrl), 500)
    await hear()
    const [row] = await t.db
      .select()
      .from(subscriptions)
      .where(eq(subscriptions.providerSubscriptionId, id))
    return { client, token, id, row }
  }
  const written = async (orderId: number) => {
    const entries = t.db.select().from(auditLog).where(aboutOrder(orderId)).orderBy(auditLog.id)
    return (await entries).map(({ action }) => action)
  }
  const endOf = async (tokenId: number) => (await till.token(tokenId)).expiresAt?.getTime()
  const ordersOf = (userId: number) => t.db.select().from(orders).where(eq(orders.userId, userId))

  test('is paid and extended once per charge', async () => {
    const { client, token, id, row } = await begin()
    const start = token.expiresAt?.getTime() ?? 0
    expect(row).toMatchObject({ userId: client.id, tokenId: token.id, status: 'active' })
    expect(row).toMatchObject({ priceId: 'price_500', cancelAtPeriodEnd: false })
    expect(await endOf(token.id)).toBe(start + MONTH)
    clock.advance(MONTH)
    await stripe.nextMonth(id, 500)
    await hear()
    await hear()
    expect(await endOf(token.id)).toBe(start + 2 * MONTH)
    const made = await ordersOf(client.id)
    expect(made.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'renewal active',
      'renewal active',
    ])
    expect(made[0]).toMatchObject({ providerSubscriptionId: id, amountCents: 500 })
    expect(await statement(t.db)).toMatchObject({ isBalanced: true })
    for (const order of made) {
      expect(await written(order.id)).toEqual(RENEWED)
    }
    const { subscriptions: shown } = await t.as(client).call(api.billing.overview)
    expect(shown).toMatchObject([{ tokenId: token.id, status: 'active' }])
  })

  test('is not extended by a charge that failed', async () => {
    const { client, token, id } = await begin()
    const before = await endOf(token.id)
    await stripe.nextMonth(id, 500, false)
    await hear()
    expect(await endOf(token.id)).toBe(before)
    expect(await ordersOf(client.id)).toHaveLength(1)
    const [row] = await t.db
      .select()
      .from(subscriptions)
      .where(eq(subscriptions.providerSubscriptionId, id))
    expect(row?.status).toBe('past_due')
  })

  test('pays the renewal that the client had begun by hand', async () => {
    const { client, token, id } = await begin()
    const before = (await endOf(token.id)) ?? 0
    await t.as(client).call(api.client.renew, { params: { id: token.id } })
    await stripe.nextMonth(id, 500)
    await hear()
    expect(await endOf(token.id)).toBe(before + MONTH)
    const made = await ordersOf(client.id)
    expect(made.map(({ status }) => status)).toEqual(['active', 'active'])
    expect(await written(made[1]?.id ?? 0)).toEqual(RENEWED)
  })

  test('pays its own month where the client had begun a renewal of several', async () => {
    const { client, token, id } = await begin()
    const before = (await endOf(token.id)) ?? 0
    const params = { id: token.id }
    await t.as(client).call(api.client.renew, { params, body: { months: 3 } })
    await stripe.nextMonth(id, 500)
    await hear()
    expect(await endOf(token.id)).toBe(before + MONTH)
    const made = await ordersOf(client.id)
    expect(made.map(({ status }) => status).sort()).toEqual(['active', 'active', 'cancelled'])
    expect((await t.as(client).call(api.billing.overview)).credit).toBe('0.00')
  })

  test('is charged until the client cancels, and keeps its paid term', async () => {
    const { client, token, id, row } = await begin()
    const params = { id: row?.id ?? 0 }
    const stranger = t.as(await t.make.client())
    expect((await stranger.attempt(api.billing.unsubscribe, { params })).status).toBe(404)
    const ended = await t.as(client).call(api.billing.unsubscribe, { params })
    expect(ended).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, tokenId: token.id })
    await stripe.endSubscription(id)
    await hear()
    const { subscriptions: shown } = await t.as(client).call(api.billing.overview)
    expect(shown).toMatchObject([{ status: 'canceled' }])
    const again = await t.as(client).call(api.billing.subscribe, { params: { id: token.id } })
    expect(again.checkoutUrl).toMatch(/^https:/)
  })

  test('that is gone is charged no more, and a charge on its way becomes credit', async () => {
    const { client, token, id } = await begin()
    await t.db
      .update(tokens)
      .set({ status: 'cancelled', cancelledAt: new Date() })
      .where(eq(tokens.id, token.id))
    await stripe.nextMonth(id, 500)
    await hear()
    expect((await t.as(client).call(api.billing.overview)).credit).toBe('5.00')
    await hand.poll()
    const { subscriptions: shown } = await t.as(client).call(api.billing.overview)
    expect(shown).toMatchObject([{ cancelAtPeriodEnd: true }])
    expect(await statement(t.db)).toMatchObject({ isBalanced: true })
  })

  test('a refund of a charge is in the ledger', async () => {
    const { client } = await begin()
    const [order] = await ordersOf(client.id)
    const [payment] = await t.db
      .select()
      .from(payments)
      .where(eq(payments.orderId, order?.id ?? 0))
    await stripe.refundInvoice(payment?.providerPaymentId ?? '', 500)
    await hear()
    expect(await till.paymentOf(order?.id ?? 0)).toMatchObject({
      status: 'refunded',
      refundedCents: 500,
    })
    expect(await statement(t.db)).toMatchObject({ isBalanced: true })
  })

  test('needs a plan, belongs to the client, and has no second subscription', async () => {
    const { client, token } = await begin()
    const subscribe = (who: typeof client, id: number) =>
      t.as(who).attempt(api.billing.subscribe, { params: { id } })
    expect((await subscribe(client, token.id)).status).toBe(409)
    expect((await subscribe(await t.make.client(), token.id)).status).toBe(404)
    const dear = await till.tenant()
    await t.db.update(tokens).set({ monthlyPriceCents: 999 }).where(eq(tokens.id, dear.token.id))
    const refused = await subscribe(dear.client, dear.token.id)
    expect(refused.body.message).toBe('There is no plan to renew this server automatically.')
    stripe.faults.isBusy = true
    const other = await till.tenant()
    expect((await subscribe(other.client, other.token.id)).status).toBe(503)
  })

  test('a plan in use cannot be removed', async () => {
    await begin()
    const admin = t.as(boss)
    const params = { id: plan.id }
    const refused = await admin.attempt(api.payments.removePlan, { params })
    expect(refused).toMatchObject({ status: 409, body: { code: 'IN_USE' } })
    const { id } = await admin.call(api.payments.addPlan, {
      body: { name: 'Unused', monthlyPrice: '7.00', features: ['One thing'] },
    })
    expect((await admin.call(api.payments.plans)).map(({ name }) => name)).toContain('Unused')
    await admin.call(api.payments.removePlan, { params: { id } })
    expect((await admin.attempt(api.payments.removePlan, { params: { id } })).status).toBe(404)
  })
})

test('without Stripe no server has a subscription', async () => {
  const t = await testApp()
  const client = await t.make.client()
  const refused = await t.as(client).attempt(api.billing.subscribe, { params: { id: 1 } })
  expect(refused.body.message).toBe('Automatic renewal is not offered here.')
})
