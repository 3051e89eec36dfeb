import { and, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { CouponPreview, coupons as routes } from '#shared/api/money/coupons.ts'
import { notFound } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { priceOfMonths } from '#shared/rules/money/months.ts'
import { isStock } from '#shared/rules/token/token-status.ts'
import type { Coupons } from '../../coupons/coupons.ts'
import { packages } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { packageIdOf } from '../../orders/package-of-server.ts'
import { readDiscounts } from '../../payments/ways/discounts.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type PreviewDeps = Pick<Deps, 'db' | 'keyring'> & { coupons: Coupons }
type Asked = z.output<typeof routes.preview.body>

/** What an order would cost with a coupon: the same price and the same refusal as the order. */
export function createCouponPreview({ db, keyring, coupons }: PreviewDeps) {
  const ofPackage = async (userId: number, packageId: string) => {
    const isOnSale = and(eq(packages.id, packageId), eq(packages.active, true))
    const [plan] = await db.select().from(packages).where(isOnSale)
    if (!plan) throw notFound('Package')
    return { wish: { userId, packageId }, priceCents: plan.priceCents }
  }

  /** A server of the caller's is renewed; one in stock is bought. */
  const ofToken = async (userId: number, tokenId: number, months: Asked['months'] = 1) => {
    const [token] = await db.select().from(tokens).where(eq(tokens.id, tokenId))
    if (token && isStock(token.status)) {
      return { wish: { userId, packageId: null }, priceCents: token.monthlyPriceCents }
    }
    if (token?.assignedUserId !== userId || token.status === 'cancelled') throw notFound('Token')
    const discounts = await readDiscounts(db, keyring)
    return {
      wish: { userId, renews: tokenId, packageId: await packageIdOf(db, tokenId) },
      priceCents: priceOfMonths(token.monthlyPriceCents, months, discounts),
    }
  }

  return async (
    { user }: Actor,
    { code, packageId, tokenId = 0, months }: Asked,
  ): Promise<CouponPreview> => {
    const { wish, priceCents } =
      packageId === undefined
        ? await ofToken(user.id, tokenId, months)
        : await ofPackage(user.id, packageId)
    const { coupon, discountCents } = await coupons.quote(code, wish, priceCents)
    return {
      code: coupon.code,
      percent: coupon.percent,
      amountOff: coupon.offCents === null ? null : decimal(coupon.offCents),
      price: decimal(priceCents),
      discount: decimal(discountCents),
      total: decimal(priceCents - discountCents),
      currency: 'usd',
    }
  }
}
