import { and, count, eq, inArray, ne, not, type SQL, sql } from 'drizzle-orm'
import { readVoucher } from '#shared/rules/money/voucher-code.ts'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'
import { coupons } from '../db/schema/stock.ts'

export type CouponRow = typeof coupons.$inferSelect

/** The coupon of a code, typed as people type. */
export const couponOf = (db: Db, code: string) =>
  db
    .select()
    .from(coupons)
    .where(eq(coupons.typed, readVoucher(code)))

/** The order that a coupon is to be used on. */
export type Wish = {
  userId: number
  /** Null where the server belongs to no package. */
  packageId: string | null
  /** The token that it renews; undefined for a purchase. */
  renews?: number
}

/** A renewal takes the place of the one that waits for its payment: that one's use is free for it. */
const staysBeside = ({ userId, renews }: Wish): SQL | undefined =>
  renews === undefined
    ? undefined
    : not(
        sql`(${orders.kind} = 'renewal' and ${orders.status} = 'pending'
          and ${orders.tokenId} is not distinct from ${renews} and ${orders.userId} = ${userId})`,
      )

type Uses = { used: number; reserved: number }

/**
 * How often each of these coupons was used, by code; one that no order has is not in it. With a
 * wish: the uses beside it.
 */
export async function usesOf(db: Db, codes: string[], wish?: Wish): Promise<Map<string, Uses>> {
  const rows = await db
    .select({ code: orders.coupon, use: orders.couponUse, of: count() })
    .from(orders)
    .where(and(inArray(orders.coupon, codes), wish && staysBeside(wish)))
    .groupBy(orders.coupon, orders.couponUse)
  const uses = new Map<string, Uses>()
  for (const { code, use, of } of rows) {
    const known = uses.get(code ?? '') ?? { used: 0, reserved: 0 }
    uses.set(code ?? '', {
      used: known.used + (use === 'used' ? of : 0),
      reserved: known.reserved + (use === 'reserved' ? of : 0),
    })
  }
  return uses
}

/** Every use counts, also one that is only reserved. */
export async function usesOfAccount(db: Db, code: string, wish: Wish): Promise<number> {
  const [row] = await db
    .select({ of: count() })
    .from(orders)
    .where(
      and(
        eq(orders.coupon, code),
        eq(orders.userId, wish.userId),
        ne(orders.couponUse, 'returned'),
        staysBeside(wish),
      ),
    )
  return row?.of ?? 0
}

/** What an account has bought or is buying. What was free from the beginning is not a purchase. */
export async function purchasesOf(db: Db, userId: number): Promise<number> {
  const [row] = await db
    .select({ of: count() })
    .from(orders)
    .where(
      and(
        eq(orders.userId, userId),
        inArray(orders.kind, ['purchase', 'package']),
        ne(orders.status, 'cancelled'),
        sql`${orders.amountCents} + ${orders.discountCents} > 0`,
      ),
    )
  return row?.of ?? 0
}
