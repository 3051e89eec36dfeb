import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../../db/schema/sales.ts'
import { startBtcpay } from '../../payments/testing/btcpay-stand-in.ts'
import { startStripe } from '../../payments/testing/stripe-stand-in.ts'
import { openTill } from '../../payments/testing/till.ts'
import { testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins } from '../testing/by-hand.ts'
import { openSilence } from '../testing/silence.ts'

const clock = testClock()
const stripe = await startStripe({ clock })
const btcpay = await startBtcpay({ clock })
afterAll(async () => {
  await stripe.close()
  await btcpay.close()
})
const env = { ...stripe.env, ...btcpay.env, BTCPAY_PAYMENT_METHODS: 'BTC-LN,BTC-CHAIN' }
const stand = { env: { ...env, PAYMENT_PROVIDER: 'stripe,btcpay,manual' } }

describe.each(BOTH_DATABASES)('however it was paid, on %s', async (database) => {
  const till = await openTill(stand, { database, clock })
  const { t } = till
  const world = await openSilence(t, clock)
  const { hand, shop, pass } = world
  hand.takeOver()

  const pays: Record<string, (orderId: number, paymentId: string) => Promise<unknown>> = {
    card: (_, paymentId) => stripe.pay(paymentId),
    lightning: async (_, paymentId) => {
      await btcpay.send(paymentId, 500, 'BTC-LN')
      await btcpay.confirm(paymentId)
    },
    bitcoin: async (_, paymentId) => {
      await btcpay.send(paymentId, 500)
      await btcpay.confirm(paymentId)
    },
    manual: (orderId) =>
      shop.admin.call(api.orders.update, { params: { id: orderId }, body: { status: 'paid' } }),
  }

  /** An order that is paid in this way, and whose server is being made. */
  const bought = async (paymentMethod: string) => {
    const buyer = await t.make.client()
    const token = await shop.token()
    const call = { params: { tokenId: token.tokenId }, body: { paymentMethod } }
    const { order } = await t.as(buyer).call(api.marketplace.purchase, call)
    const { providerPaymentId } = await till.paymentOf(order.id)
    await pays[paymentMethod]?.(order.id, providerPaymentId)
    await hand.poll.run()
    const [row] = await t.db.select().from(orders).where(eq(orders.id, order.id))
    expect(row?.status).toBe('provisioning')
    return { buyer, token, order, jobId: row?.jobId ?? '', before: shop.made().length }
  }

  const WAYS = ['card', 'lightning', 'bitcoin', 'manual']

  test.each(WAYS)('%s: earned once the server answers', async (way) => {
    const sale = await bought(way)
    expect(await world.moneyOf(sale)).toEqual({ held: 500, earned: 0, credit: 0 })
    await hand.run(sale.jobId)
    await world.expectDelivered(sale)
  })

  test.each(WAYS)('%s: back as credit if it stays silent, and pays the next order', async (way) => {
    const sale = await bought(way)
    world.answer(false)
    await hand.run(
      sale.jobId,
      asBegins('proof', () => pass(10 * MINUTE_MS)),
    )
    world.answer(true)
    await world.expectReturned(sale)
    await world.expectRemoved(sale)
    const token = await shop.token()
    const params = { tokenId: token.tokenId }
    const { order } = await t.as(sale.buyer).call(api.marketplace.purchase, { params })
    const row = await shop.orderRow(order.id)
    expect(row).toMatchObject({ status: 'provisioning', creditCents: 500 })
    await hand.run(row.jobId ?? '')
    expect(await shop.orderRow(order.id)).toMatchObject({ status: 'active' })
  })
})
