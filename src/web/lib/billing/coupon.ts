import type { CouponPreview } from '#shared/api/money/coupons.ts'
import { discountOf } from '#shared/rules/money/coupon.ts'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'

/** A coupon that the server has accepted for what is being ordered. */
export type AppliedCoupon = Pick<CouponPreview, 'code' | 'percent' | 'amountOff'>

const offCents = (amountOff: string | null) =>
  amountOff === null ? null : (parseAmount(amountOff) ?? 0)

/** What is left of a price, and what the coupon takes off it. */
export function withCoupon(price: string, coupon: AppliedCoupon | undefined) {
  const cents = parseAmount(price) ?? 0
  const off = coupon
    ? discountOf(cents, { percent: coupon.percent, offCents: offCents(coupon.amountOff) })
    : 0
  return { total: decimal(cents - off), discount: decimal(off) }
}

/** The part of a request that names the coupon. */
export const couponBy = (coupon: AppliedCoupon | undefined) =>
  coupon === undefined ? {} : { coupon: coupon.code }
