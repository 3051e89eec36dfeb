import type { Cents } from './money.ts'

/** What a coupon takes off a price: a part of it, or a fixed amount. One of them is null. */
export type Off = { percent: number | null; offCents: Cents | null }

/**
 * What is taken off a price that already has the discount for several months. A fraction of a cent
 * is rounded to the client's favour, and a price never falls below zero.
 */
export const discountOf = (price: Cents, { percent, offCents }: Off): Cents =>
  percent === null
    ? Math.min(price, offCents ?? 0)
    : price - Math.floor((price * (100 - percent)) / 100)

export const COUPON_USES = ['reserved', 'used', 'returned'] as const

export const COUPON_STATES = ['on', 'off', 'to come', 'ended', 'used up'] as const
export type CouponState = (typeof COUPON_STATES)[number]

type Dated = {
  isOn: boolean
  validFrom: Date | null
  validUntil: Date | null
  maxUses: number | null
}

/** Uses are those of paid orders and those that unpaid orders have reserved. */
export function couponState(coupon: Dated, uses: number, now: Date): CouponState {
  if (!coupon.isOn) return 'off'
  if (coupon.validUntil !== null && coupon.validUntil <= now) return 'ended'
  if (coupon.validFrom !== null && coupon.validFrom > now) return 'to come'
  return coupon.maxUses !== null && uses >= coupon.maxUses ? 'used up' : 'on'
}

type Limited = {
  /** Null: every package, and servers that belong to none. */
  packageIds: readonly string[] | null
  firstOnly: boolean
  renewals: boolean
  maxPerAccount: number | null
}

type Wish = {
  isRenewal: boolean
  packageId: string | null
  /** How often the account has used it, and how much it has bought before. */
  usesOfAccount: number
  purchases: number
}

/** Whether this account may use it for this order. */
export function isCouponFor(coupon: Limited, wish: Wish): boolean {
  if (wish.isRenewal && !coupon.renewals) return false
  if (coupon.firstOnly && (wish.isRenewal || wish.purchases > 0)) return false
  if (coupon.maxPerAccount !== null && wish.usesOfAccount >= coupon.maxPerAccount) return false
  return coupon.packageIds === null || coupon.packageIds.includes(wish.packageId ?? '')
}
