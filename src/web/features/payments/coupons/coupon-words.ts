import type { Coupon } from '#shared/api/money/coupons.ts'
import { priceText } from '../../../lib/format/price.ts'

/** "20% off", "$2.50 off" */
export const offWords = ({ percent, amountOff }: Pick<Coupon, 'percent' | 'amountOff'>): string =>
  percent === null ? `${priceText(amountOff ?? '0')} off` : `${percent}% off`

/** "3 of 10 used, 1 waits for payment" */
export function usesWords({ used, reserved, maxUses }: Coupon): string {
  const times = used === 1 ? 'Used once' : `Used ${used} times`
  const uses = maxUses === null ? times : `${used} of ${maxUses} used`
  if (reserved === 0) return uses
  return `${uses}, ${reserved} ${reserved === 1 ? 'waits' : 'wait'} for payment`
}

/** For which orders, in a few words. */
export function ordersWords(coupon: Coupon): string {
  const what = coupon.renewals ? 'purchases and renewals' : 'purchases'
  const orders = coupon.firstOnly ? 'first purchases' : what
  const packages = coupon.packageIds?.length ?? 0
  const which = packages === 0 ? '' : ` of ${packages} ${packages === 1 ? 'package' : 'packages'}`
  const each = coupon.maxPerAccount === null ? '' : `, ${coupon.maxPerAccount} for each account`
  return `For ${orders}${which}${each}`
}
