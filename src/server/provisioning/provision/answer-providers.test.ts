import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../../db/schema/sales.ts'
import { PROVIDER_WAYS, startEveryWay } from '../../payments/testing/every-way.ts'
import { openTill } from '../../payments/testing/till.ts'
import { testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins } from '../testing/by-hand.ts'
import { openSilence } from '../testing/silence.ts'

const clock = testClock()

describe.each(BOTH_DATABASES)('however it was paid, on %s', async (database) => {
  const every = await startEveryWay(clock)
  const till = await openTill(every.stand, { database, clock })
  const { t } = till
  const world = await openSilence(t, clock)
  const { hand, shop, pass } = world
  hand.takeOver()
  const operator = await t.make.admin()

  /** An order that is paid in this way, and whose server is being made. */
  const bought = async (paymentMethod: string, coupon?: string) => {
    const buyer = await t.make.client()
    const token = await shop.token()
    const body = { paymentMethod, ...(coupon !== undefined && { coupon }) }
    const call = { params: { tokenId: token.tokenId }, body }
    const { order } = await t.as(buyer).call(api.marketplace.purchase, call)
    await every.pay(till, order.id, operator)
    await hand.poll.run()
    const [row] = await t.db.select().from(orders).where(eq(orders.id, order.id))
    expect(row?.status).toBe('provisioning')
    return { buyer, token, order, jobId: row?.jobId ?? '', before: shop.made().length }
  }

  const staysSilent = async (jobId: string) => {
    world.answer(false)
    await hand.run(
      jobId,
      asBegins('proof', () => pass(10 * MINUTE_MS)),
    )
    world.answer(true)
  }

  test.each(PROVIDER_WAYS)('%s: earned once the server answers', async (way) => {
    const sale = await bought(way)
    expect(await world.moneyOf(sale)).toEqual({ held: 500, earned: 0, credit: 0 })
    await hand.run(sale.jobId)
    await world.expectDelivered(sale)
  })

  test.each(PROVIDER_WAYS)(
    '%s: back as credit if it stays silent, and pays the next order',
    async (way) => {
      const sale = await bought(way)
      await staysSilent(sale.jobId)
      await world.expectReturned(sale)
      await world.expectRemoved(sale)
      const token = await shop.token()
      const params = { tokenId: token.tokenId }
      const { order } = await t.as(sale.buyer).call(api.marketplace.purchase, { params })
      const row = await shop.orderRow(order.id)
      expect(row).toMatchObject({ status: 'provisioning', creditCents: 500 })
      await hand.run(row.jobId ?? '')
      expect(await shop.orderRow(order.id)).toMatchObject({ status: 'active' })
    },
  )

  test.each(PROVIDER_WAYS)(
    '%s: with a coupon, what was paid comes back, and so does its use; the next one keeps both',
    async (way) => {
      const made = { body: { percent: 33, maxUses: 1 } }
      const { id, code } = await t.as(operator).call(api.coupons.create, made)
      const uses = async () => {
        const all = await t.as(operator).call(api.coupons.list)
        return all.find((coupon) => coupon.id === id)
      }
      const silent = await bought(way, code)
      expect(await world.moneyOf(silent)).toEqual({ held: 335, earned: 0, credit: 0 })
      expect(await uses()).toMatchObject({ used: 1, reserved: 0, state: 'used up' })
      await staysSilent(silent.jobId)
      expect(await world.moneyOf(silent)).toEqual({ held: 0, earned: 0, credit: 335 })
      await world.expectRemoved(silent)
      expect(await uses()).toMatchObject({ used: 0, reserved: 0, state: 'on' })

      const answered = await bought(way, code)
      await hand.run(answered.jobId)
      expect(await world.moneyOf(answered)).toEqual({ held: 0, earned: 335, credit: 0 })
      expect(await uses()).toMatchObject({ used: 1, reserved: 0, state: 'used up' })
    },
  )
})
