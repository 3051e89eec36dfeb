import { notFound } from '#shared/errors.ts'
import { type Discounts, type Months, priceOfMonths } from '#shared/rules/money/months.ts'
import type { Db } from '../db/database.ts'
import type { OrderRow } from '../orders/orders.ts'
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

type Wanted = { months: Months; discounts: Discounts; now: Date }

/**
 * A second request continues with the order of the first, unless it is for another time or the
 * price has changed.
 */
export async function renewalOrder(
  tx: Db,
  token: TokenRow,
  open: OrderRow | undefined,
  { months, discounts, now }: Wanted,
): Promise<OrderRow> {
  const amountCents = priceOfMonths(token.monthlyPriceCents, months, discounts)
  if (open?.amountCents === amountCents && open.months === months) return open
  if (open) await releaseOrder(tx, open, { now })
  if (token.assignedUserId === null) throw notFound('Token')
  const order = {
    userId: token.assignedUserId,
    kind: 'renewal',
    planName: token.name,
    osType: token.osType,
    amountCents,
    months,
    tokenId: token.id,
    ...orderTerm(now),
  } as const
  return await placeOrder(tx, order, now)
}
