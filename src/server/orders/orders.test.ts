import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { canMoveOrder, ORDER_STATUSES, type OrderStatus } from '#shared/rules/money/order-status.ts'
import { orders } from '../db/schema/sales.ts'
import { creditOf } from '../ledger/credit.ts'
import { heldIn, transfer } from '../ledger/ledger.ts'
import { testApp } from '../testing/test-app.ts'
import { moveOrder, type OrderRow } from './orders.ts'

const NOW = new Date('2026-11-15T12:00:00Z')

describe('moving an order', async () => {
  const t = await testApp()

  /** An order in this state, with its $5.00 held. */
  const paidOrder = async (values: Partial<OrderRow> & { status: OrderStatus }) => {
    const client = await t.make.client()
    const [order] = await t.db
      .insert(orders)
      .values({ userId: client.id, planName: 'Small', amountCents: 500, ...values })
      .returning()
    if (!order) throw new Error('no order was stored')
    const about = { userId: client.id, orderId: order.id, reason: 'paid', at: NOW }
    await transfer(t.db, { ...about, from: 'received', to: 'held', cents: 500 })
    return { client, order }
  }
  const statusOf = async ({ id }: OrderRow) =>
    (await t.db.select().from(orders).where(eq(orders.id, id)))[0]?.status
  const moneyOf = async ({ id }: OrderRow) => ({
    held: await heldIn(t.db, 'held', id),
    earned: await heldIn(t.db, 'earned', id),
    credit: await heldIn(t.db, 'credit', id),
  })

  const forbidden = (['system', 'admin'] as const).flatMap((by) =>
    ORDER_STATUSES.flatMap((from) =>
      ORDER_STATUSES.filter((to) => !canMoveOrder(from, to, by)).map((to) => ({ by, from, to })),
    ),
  )

  test.each(forbidden)(
    'from $from to $to by the $by is refused and changes neither state nor money',
    async ({ by, from, to }) => {
      const { order } = await paidOrder({ status: from })
      await expect(moveOrder(t.db, order, { to, by, now: NOW })).rejects.toMatchObject({
        code: 'INVALID_STATE',
        message: `An order that is ${from} cannot become ${to}.`,
      })
      expect(await statusOf(order)).toBe(from)
      expect(await moneyOf(order)).toEqual({ held: 500, earned: 0, credit: 0 })
    },
  )

  test('a cancelled order keeps held what the provider still sends back, and the rest is credit', async () => {
    const { client, order } = await paidOrder({ status: 'paid' })
    await moveOrder(t.db, order, { to: 'cancelled', now: NOW, keepHeld: 350 })
    expect(await moneyOf(order)).toEqual({ held: 350, earned: 0, credit: 150 })
    expect(await creditOf(t.db, client.id)).toBe(150)
  })

  test('a job cannot deliver an order that another job works on', async () => {
    const { order } = await paidOrder({ status: 'provisioning', jobId: 'second' })
    const deliver = (ofJob: string) => moveOrder(t.db, order, { to: 'active', now: NOW, ofJob })
    await expect(deliver('first')).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'Another job works on this order.',
    })
    expect(await statusOf(order)).toBe('provisioning')
    expect(await moneyOf(order)).toEqual({ held: 500, earned: 0, credit: 0 })
    await deliver('second')
    expect(await statusOf(order)).toBe('active')
    expect(await moneyOf(order)).toEqual({ held: 0, earned: 500, credit: 0 })
  })
})
