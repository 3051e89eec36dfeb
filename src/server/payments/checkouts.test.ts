import { asc, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createAudit } from '../audit/audit-log.ts'
import { orders, payments } from '../db/schema/sales.ts'
import { creditOf, lockCredit } from '../ledger/credit.ts'
import { heldIn, transfer } from '../ledger/ledger.ts'
import { moveOrder, type OrderRow } from '../orders/orders.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { createCheckouts } from './checkouts.ts'
import type { PaymentProvider } from './port/payment-provider.ts'
import { createWays } from './ways/ways.ts'

const page = (id: number, attempt: number) => `https://pay.example/${id}/${attempt}`

/** Takes payments on a page of its own, later. */
const provider: PaymentProvider = {
  name: 'stripe',
  ways: [{ id: 'card', name: 'Card', kind: 'card' }],
  isInstant: false,
  createCheckout: async ({ orderId, attempt }) => ({
    paymentId: `${orderId}-${attempt}`,
    url: page(orderId, attempt),
  }),
  verifyWebhook: async () => undefined,
  fetchState: undefined,
  methods: async () => [],
  refund: undefined,
  check: async () => 'It answers.',
}

describe('the checkout of an order', async () => {
  const clock = testClock()
  const t = await testApp({ clock })
  const now = clock.now()
  const set = { offered: [provider], all: [provider], named: () => provider, recurring: undefined }
  const providers = { now: async () => set }
  const checkouts = createCheckouts({
    ...t.deps,
    providers,
    ways: createWays({ ...t.deps, providers }),
    audit: createAudit(clock),
    fulfil: (tx, order) => moveOrder(tx, order, { to: 'active', now }),
  })

  const placed = async () => {
    const client = await t.make.client()
    const [order] = await t.db
      .insert(orders)
      .values({ userId: client.id, planName: 'Small', amountCents: 500 })
      .returning()
    if (!order) throw new Error('no order was stored')
    const about = { userId: client.id, orderId: order.id, reason: 'test', at: now }
    return {
      client,
      order,
      gain: (cents: number) => transfer(t.db, { ...about, from: 'received', to: 'credit', cents }),
      bills: async () =>
        (
          await t.db
            .select()
            .from(payments)
            .where(eq(payments.orderId, order.id))
            .orderBy(asc(payments.id))
        ).map(({ amountCents }) => amountCents),
    }
  }
  const pay = (order: OrderRow) =>
    t.db.transaction(async (tx) => {
      await lockCredit(tx, order.userId ?? 0)
      return await checkouts.pay(tx, order, { key: undefined })
    })

  test('is the same page however often it is opened', async () => {
    const { order, bills } = await placed()
    const waiting = await pay(order)
    expect(waiting.status).toBe('pending')
    expect(await checkouts.open(waiting)).toBe(page(order.id, 1))
    expect(await checkouts.open(waiting)).toBe(page(order.id, 1))
    expect(await bills()).toEqual([500])
  })

  test('asks only for the rest once credit has paid a part', async () => {
    const { client, order, gain, bills } = await placed()
    await checkouts.open(order)
    await gain(200)
    const rest = await pay(order)
    expect(rest).toMatchObject({ status: 'pending', creditCents: 200 })
    expect(await creditOf(t.db, client.id)).toBe(0)
    expect(await checkouts.open(rest)).toBe(page(order.id, 2))
    expect(await bills()).toEqual([500, 300])
  })

  test('is not needed once credit has paid all of it', async () => {
    const { client, order, gain, bills } = await placed()
    await gain(700)
    const paid = await pay(order)
    expect(paid).toMatchObject({ status: 'active', creditCents: 500 })
    expect(await creditOf(t.db, client.id)).toBe(200)
    expect(await heldIn(t.db, 'earned', order.id)).toBe(500)
    expect(await checkouts.open(paid)).toBeUndefined()
    expect(await bills()).toEqual([])
  })

  test('is not opened for an order that ended since the caller read it', async () => {
    const { order, bills } = await placed()
    await moveOrder(t.db, order, { to: 'cancelled', now })
    expect(order.status).toBe('pending')
    expect(await checkouts.open(order)).toBeUndefined()
    expect(await bills()).toEqual([])
  })
})
