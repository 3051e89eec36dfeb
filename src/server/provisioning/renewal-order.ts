import { notFound } from '#shared/errors.ts'
import { type Discounts, type Months, priceOfMonths } from '#shared/rules/money/months.ts'
import { readVoucher } from '#shared/rules/money/voucher-code.ts'
import type { Coupons } from '../coupons/coupons.ts'
import type { Db } from '../db/database.ts'
import { fullPriceOf, type OrderRow } from '../orders/orders.ts'
import { packageIdOf } from '../orders/package-of-server.ts'
import { placeOrder } from '../orders/place-order.ts'
import { releaseOrder } from '../orders/release.ts'
import { orderTerm } from '../payments/checkouts.ts'
import { openPaymentsOf } from '../payments/payment-rows.ts'
import type { TokenRow } from '../tokens/token-rows.ts'

/** Money for it is on its way: it is not taken a second time. */
export const isUnderWay = async (tx: Db, orderId: number): Promise<boolean> =>
  (await openPaymentsOf(tx, orderId)).some(
    ({ status, seenCents }) => status === 'confirming' || seenCents > 0,
  )

type Wanted = {
  months: Months
  discounts: Discounts
  now: Date
  coupon?: { code: string; coupons: Pick<Coupons, 'reserve'> } | undefined
}

/** Asked for without a coupon, the order keeps the one it has. */
const isSameCoupon = (open: OrderRow, code: string | undefined): boolean =>
  code === undefined || readVoucher(open.coupon ?? '') === readVoucher(code)

/**
 * A second request continues with the order of the first, unless it is for another time, brings
 * another coupon, or the price has changed.
 */
export async function renewalOrder(
  tx: Db,
  token: TokenRow,
  open: OrderRow | undefined,
  { months, discounts, now, coupon }: Wanted,
): Promise<OrderRow> {
  const price = priceOfMonths(token.monthlyPriceCents, months, discounts)
  const isSame = open && fullPriceOf(open) === price && open.months === months
  if (isSame && isSameCoupon(open, coupon?.code)) return open
  if (open) await releaseOrder(tx, open, { now })
  const { assignedUserId: userId, id: renews } = token
  if (userId === null) throw notFound('Token')
  const wish = async () => ({ userId, renews, packageId: await packageIdOf(tx, renews) })
  const priced = coupon
    ? await coupon.coupons.reserve(tx, coupon.code, await wish(), price)
    : { amountCents: price }
  const order = {
    userId,
    kind: 'renewal',
    planName: token.name,
    osType: token.osType,
    ...priced,
    months,
    tokenId: renews,
    ...orderTerm(now),
  } as const
  return await placeOrder(tx, order, now)
}
