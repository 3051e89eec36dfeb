import type { OrderKind } from '#shared/api/shop/orders.ts'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Months } from '#shared/rules/money/months.ts'
import type { Db } from '../db/database.ts'
import { orders, type ServerSetup } from '../db/schema/sales.ts'
import type { OrderRow } from './orders.ts'

type NewOrder = {
  userId: number
  kind: OrderKind
  /** The name the client reads: the token's or the package's. */
  planName: string
  /** Undefined where no server is ordered. */
  osType?: string
  amountCents: Cents
  coupon?: string
  couponUse?: OrderRow['couponUse']
  discountCents?: Cents
  months?: Months
  tokenId?: number
  planId?: string
  serverName?: string
  ipv6Only?: boolean
  setup?: ServerSetup | undefined
  /** A keyed hash of the network the order came from. */
  network?: string | null
  /** The payment deadline; without one the order waits indefinitely. */
  payBy?: Date
}

export async function placeOrder(tx: Db, order: NewOrder, now: Date): Promise<OrderRow> {
  const [row] = await tx
    .insert(orders)
    .values({ ...order, createdAt: now, updatedAt: now })
    .returning()
  if (!row) throw new Error('the order was not stored')
  return row
}
