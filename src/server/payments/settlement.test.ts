import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createAudit } from '../audit/audit-log.ts'
import { orders, payments } from '../db/schema/sales.ts'
import { heldIn } from '../ledger/ledger.ts'
import { statement } from '../ledger/statement.ts'
import { moveOrder, type OrderRow } from '../orders/orders.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import type { PaymentFacts } from './port/payment-provider.ts'
import { createSettlement } from './settlement.ts'

const NOTHING: PaymentFacts = { state: 'pending', receivedCents: 0, refundedCents: 0 }
const PAID: PaymentFacts = { state: 'paid', receivedCents: 500, refundedCents: 0 }

describe('what a provider reports of a payment', async () => {
  const clock = testClock()
  const t = await testApp({ clock })
  const now = clock.now()
  const told: string[] = []
  const tell =
    (what: string) =>
    async (_: unknown, { id }: OrderRow) => {
      told.push(`${what} ${id}`)
    }
  const { settle } = createSettlement({
    ...t.deps,
    audit: createAudit(clock),
    fulfil: (tx, order) => moveOrder(tx, order, { to: 'active', now }),
    takenBack: { refunded: tell('refunded'), lost: tell('lost'), won: tell('won') },
  })

  let number = 0
  /** An order for $5.00 with an open payment. */
  const billed = async () => {
    number += 1
    const client = await t.make.client()
    const [order] = await t.db
      .insert(orders)
      .values({ userId: client.id, planName: 'Small', amountCents: 500 })
      .returning()
    const id = order?.id ?? 0
    const [payment] = await t.db
      .insert(payments)
      .values({
        orderId: id,
        provider: 'stripe',
        providerPaymentId: `payment ${number}`,
        amountCents: 500,
        status: 'pending',
      })
      .returning()
    const paymentId = payment?.id ?? 0
    const dispute = { id: `dispute ${number}`, cents: 500 }
    return {
      id,
      report: (facts: PaymentFacts) => settle(paymentId, facts),
      dispute: (state: 'lost' | 'won') =>
        settle(paymentId, { ...PAID, disputes: [{ ...dispute, state }] }),
      move: (to: 'cancelled') => moveOrder(t.db, { id }, { to, now }),
      status: async () => (await t.db.select().from(orders).where(eq(orders.id, id)))[0]?.status,
      money: async () => ({
        held: await heldIn(t.db, 'held', id),
        earned: await heldIn(t.db, 'earned', id),
        credit: await heldIn(t.db, 'credit', id),
      }),
      told: () => told.filter((line) => line.endsWith(` ${id}`)),
    }
  }
  const EARNED = { held: 0, earned: 500, credit: 0 }
  const GONE = { held: 0, earned: 0, credit: 0 }

  test('late news of less money received or refunded changes nothing', async () => {
    const { report, money } = await billed()
    await report({ ...PAID, refundedCents: 200 })
    expect(await report(NOTHING)).toMatchObject({ receivedCents: 500, refundedCents: 200 })
    expect(await money()).toEqual({ held: 0, earned: 300, credit: 0 })
  })

  test.each(['expired', 'failed'] as const)(
    'a payment that has %s does not wait for money again, but takes it if it comes',
    async (state) => {
      const { report, status } = await billed()
      expect(await report({ ...NOTHING, state })).toMatchObject({ status: state })
      expect(await report(NOTHING)).toMatchObject({ status: state })
      expect(await status()).toBe('pending')
      expect(await report(PAID)).toMatchObject({ status: 'paid' })
      expect(await status()).toBe('active')
    },
  )

  test.each(['pending', 'confirming', 'expired', 'failed'] as const)(
    'a paid payment stays paid when a late report calls it %s',
    async (state) => {
      const { report, status } = await billed()
      await report(PAID)
      expect(await report({ ...NOTHING, state })).toMatchObject({ status: 'paid' })
      expect(await status()).toBe('active')
    },
  )

  test('less than is due becomes credit and does not pay the order', async () => {
    const { report, status, money } = await billed()
    await report({ ...PAID, state: 'expired', receivedCents: 499 })
    expect(await status()).toBe('pending')
    expect(await money()).toEqual({ held: 0, earned: 0, credit: 499 })
  })

  test('money for an order that was cancelled meanwhile becomes credit', async () => {
    const { report, status, money, move } = await billed()
    await move('cancelled')
    await report(PAID)
    expect(await status()).toBe('cancelled')
    expect(await money()).toEqual({ held: 0, earned: 0, credit: 500 })
  })

  test('a refund takes back what was earned and ends what it paid for', async () => {
    const { report, money, told } = await billed()
    await report(PAID)
    expect(await money()).toEqual(EARNED)
    const refund = await report({ ...PAID, state: 'refunded', refundedCents: 500 })
    expect(refund.status).toBe('refunded')
    expect(await money()).toEqual(GONE)
    expect(told().map((line) => line.split(' ')[0])).toEqual(['refunded'])
  })

  test('a lost dispute takes back what was earned, and a win returns it', async () => {
    const { report, dispute, money, told } = await billed()
    await report(PAID)
    expect((await dispute('lost')).status).toBe('refunded')
    expect(await money()).toEqual(GONE)
    expect((await dispute('won')).status).toBe('paid')
    expect(await money()).toEqual(EARNED)
    expect(told().map((line) => line.split(' ')[0])).toEqual(['lost', 'won'])
  })

  test('a dispute won after the order ended gives the client credit', async () => {
    const { report, dispute, money, move } = await billed()
    await report(PAID)
    await dispute('lost')
    await move('cancelled')
    await dispute('won')
    expect(await money()).toEqual({ held: 0, earned: 0, credit: 500 })
  })

  test('every cent is accounted for in the end', async () => {
    expect(await statement(t.db)).toMatchObject({ isBalanced: true })
  })
})
