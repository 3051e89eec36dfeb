import { AppError } from '#shared/errors.ts'
import { couponState, discountOf, isCouponFor } from '#shared/rules/money/coupon.ts'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { createCodeGate } from '../limits/code-gate.ts'
import type { Limiters } from '../limits/limiters.ts'
import type { Deps } from '../runtime/deps.ts'
import {
  type CouponRow,
  couponOf,
  purchasesOf,
  usesOf,
  usesOfAccount,
  type Wish,
} from './coupon-rows.ts'

type CouponsDeps = Pick<Deps, 'db' | 'clock'> & { limiters: Limiters }

export type Coupons = ReturnType<typeof createCoupons>

const NO_USES = { used: 0, reserved: 0 }

/** The one answer to every code that takes nothing off, for whatever reason. */
const invalidCoupon = () =>
  new AppError('INVALID_COUPON', 'This coupon is not valid for this order. Check the code.')

/** Coupons at checkout: what they take off, and which order gets the last use. */
export function createCoupons({ db, clock, limiters }: CouponsDeps) {
  const gate = createCodeGate(limiters, { name: 'coupon' })

  const requireFor = async (reader: Db, coupon: CouponRow | undefined, wish: Wish) => {
    if (!coupon) throw invalidCoupon()
    const { code } = coupon
    const { used, reserved } = (await usesOf(reader, [code], wish)).get(code) ?? NO_USES
    if (couponState(coupon, used + reserved, clock.now()) !== 'on') throw invalidCoupon()
    const facts = {
      isRenewal: wish.renews !== undefined,
      packageId: wish.packageId,
      usesOfAccount: await usesOfAccount(reader, code, wish),
      purchases: await purchasesOf(reader, wish.userId),
    }
    if (!isCouponFor(coupon, facts)) throw invalidCoupon()
    return coupon
  }

  const takeOff = (coupon: CouponRow, priceCents: Cents): Cents => {
    const discount = discountOf(priceCents, coupon)
    // What costs nothing anyway must not use it up.
    if (discount === 0) throw invalidCoupon()
    return discount
  }

  return {
    /**
     * Judges a code before an order is placed, and counts the try: outside of the transaction that
     * places it, because a refusal undoes that.
     */
    async admit(code: string | undefined, wish: Wish): Promise<void> {
      if (code === undefined) return
      await gate.pass(wish.userId, async () => {
        const [coupon] = await couponOf(db, code)
        await requireFor(db, coupon, wish)
      })
    },

    /** What it would take off now. Reserves nothing. */
    quote: (code: string, wish: Wish, priceCents: Cents) =>
      gate.pass(wish.userId, async () => {
        const [found] = await couponOf(db, code)
        const coupon = await requireFor(db, found, wish)
        return { coupon, discountCents: takeOff(coupon, priceCents) }
      }),

    /**
     * The price of an order that is placed in this transaction, with one use reserved for it. The
     * coupon's row is locked: of two orders at once the second one counts the first. The caller must
     * hold `lockCredit()`, which does the same for the purchases of one account.
     */
    async reserve(tx: Db, code: string | undefined, wish: Wish, priceCents: Cents) {
      if (code === undefined) return { amountCents: priceCents }
      const [found] = await couponOf(tx, code).for('update')
      const coupon = await requireFor(tx, found, wish)
      const discountCents = takeOff(coupon, priceCents)
      return {
        amountCents: priceCents - discountCents,
        coupon: coupon.code,
        couponUse: 'reserved' as const,
        discountCents,
      }
    },
  }
}
