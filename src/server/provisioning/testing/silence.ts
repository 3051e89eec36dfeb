import { expect } from 'vitest'
import { creditOf } from '../../ledger/credit.ts'
import { heldIn } from '../../ledger/ledger.ts'
import { statement } from '../../ledger/statement.ts'
import type { SimApp, TestClock } from '../../testing/test-app.ts'
import { actorOf, byHand } from './by-hand.ts'
import { openShop } from './shop.ts'

const PRICE_CENTS = 500

type Paid = { order: { id: number }; buyer: { id: number } }

/** A shop whose new servers answer or stay silent, as a test says, and what becomes of the money. */
export async function openSilence(t: SimApp, clock: TestClock) {
  const shop = await openShop(t)
  const hand = byHand(t)
  const template = t.sim.state.vms.get(shop.template.templateId)
  if (!template) throw new Error('the simulator has no such template')

  const buy = async (values: Record<string, unknown> = {}) => {
    const token = await shop.token(values)
    const buyer = await t.make.client()
    const call = values.monthlyPrice === '0.00' ? 'trial' : 'purchase'
    const sale = await hand.sales.claim(actorOf(buyer), token.tokenId, call)
    return { ...sale, token, buyer, before: shop.made().length }
  }
  type Bought = Awaited<ReturnType<typeof buy>>

  return {
    shop,
    hand,
    buy,

    /** Whether the servers that are made from now on answer. */
    answer(does: boolean) {
      template.guest.agent = does ? 'alive' : 'none'
    },

    /** Time passes while a process is there to witness it. */
    async pass(ms: number) {
      await hand.sweep()
      clock.advance(ms)
      await hand.sweep()
    },

    /** Where the money of this order is. */
    async moneyOf({ order, buyer }: Paid) {
      const row = await shop.orderRow(order.id)
      const earned = await heldIn(t.db, 'earned', order.id)
      // The law: earned if and only if the proof is stored.
      expect(earned > 0).toBe(row.answeredAt !== null)
      expect(await statement(t.db)).toMatchObject({ isBalanced: true })
      const held = await heldIn(t.db, 'held', order.id)
      return { held, earned, credit: await creditOf(t.db, buyer.id) }
    },

    async expectReturned(bought: Paid & Pick<Bought, 'token'>) {
      const { token, order } = bought
      expect(await this.moneyOf(bought)).toEqual({ held: 0, earned: 0, credit: PRICE_CENTS })
      expect(await shop.orderRow(order.id)).toMatchObject({
        status: 'cancelled',
        failure: 'It did not answer in 10 minutes. Your money is back.',
        returnedAt: expect.any(Date),
        answeredAt: null,
        answeredBy: null,
      })
      expect(await shop.tokenRow(token.id)).toMatchObject({ expiresAt: null })
    },

    /** The machine is gone, too, and the token is for sale again. */
    async expectRemoved({ token, jobId, before }: Pick<Bought, 'token' | 'jobId' | 'before'>) {
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
      expect(await shop.tokenRow(token.id)).toMatchObject({
        status: 'available',
        assignedUserId: null,
      })
      expect(await shop.instancesOf(token.id)).toEqual([])
      expect(shop.made()).toHaveLength(before)
    },

    async expectDelivered(bought: Paid & Pick<Bought, 'token'>) {
      const { token, order } = bought
      expect(await this.moneyOf(bought)).toEqual({ held: 0, earned: PRICE_CENTS, credit: 0 })
      const row = await shop.orderRow(order.id)
      expect(row).toMatchObject({ status: 'active', failure: null, returnedAt: null })
      expect((await shop.tokenRow(token.id)).assignedAt).toEqual(row.answeredAt)
    },
  }
}
