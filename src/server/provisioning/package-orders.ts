import { and, count, eq, ilike, ne } from 'drizzle-orm'
import type { WithCoupon } from '#shared/api/money/coupons.ts'
import type { Paying } from '#shared/api/money/payment-methods.ts'
import type { Wishes } from '#shared/api/parts/wishes.ts'
import { AppError } from '#shared/errors.ts'
import { packageSize } from '#shared/rules/instance/package-size.ts'
import { isTrial } from '#shared/rules/money/plan-period.ts'
import type { Coupons } from '../coupons/coupons.ts'
import type { Db } from '../db/database.ts'
import { beforeEffect } from '../db/effect-scope.ts'
import { orders } from '../db/schema/sales.ts'
import { lockCredit } from '../ledger/credit.ts'
import type { OrderRow } from '../orders/orders.ts'
import { placeOrder } from '../orders/place-order.ts'
import { setupOf } from '../orders/server-setup.ts'
import { type Checkouts, orderTerm } from '../payments/checkouts.ts'
import type { Deps } from '../runtime/deps.ts'
import type { Actor } from '../sessions/actor.ts'
import { publishTokenChange } from '../tokens/publish-token-change.ts'
import { freeRooms, hasRoom } from './allocation/capacity.ts'
import { type Plan, planOnSale, serverName } from './package-change/plan-on-sale.ts'
import { requireUserData } from './seed/user-data-offer.ts'
import type { UnpaidLimits } from './unpaid-limits.ts'

type PackageOrderDeps = Pick<
  Deps,
  'db' | 'clock' | 'events' | 'hypervisors' | 'keyring' | 'random'
> & {
  checkouts: Checkouts
  coupons: Coupons
  unpaid: UnpaidLimits
}
type Wanted = { packageId: string; osType: string }

/** A client orders a package of the pricing page (O3). */
export function createPackageOrders(deps: PackageOrderDeps) {
  const { db, clock, events, hypervisors, checkouts, coupons, unpaid } = deps
  return {
    async order(
      actor: Actor,
      {
        packageId,
        osType,
        paymentMethod,
        coupon,
        ...wishes
      }: Wishes & Paying & WithCoupon & Wanted,
      address?: string,
    ): Promise<{ order: OrderRow; checkoutUrl: string | undefined }> {
      const userId = actor.user.id
      const about = { userId, packageId }
      await beforeEffect(() => coupons.admit(coupon, about))
      const order = await db.transaction(async (tx) => {
        await lockCredit(tx, userId)
        const plan = await planOnSale(tx, packageId)
        if (!plan.osOptions.includes(osType)) {
          const known = plan.osOptions.join(', ')
          throw new AppError('INVALID_INPUT', `Please select an OS type of this plan: ${known}.`)
        }
        if (isTrial(plan.name)) await refuseSecondTrial(tx, userId)
        await checkRoom(tx, plan, hypervisors)
        const setup = await setupOf(tx, userId, wishes, { osType, isReady: false }, deps)
        if (setup?.userData) await requireUserData(tx, undefined, hypervisors)
        const now = clock.now()
        const placed = await placeOrder(
          tx,
          {
            userId,
            kind: 'package',
            planId: plan.id,
            planName: plan.name,
            osType,
            serverName: serverName(plan),
            ipv6Only: plan.ipv6Only,
            setup,
            ...(await coupons.reserve(tx, coupon, about, plan.priceCents)),
            network: unpaid.networkOf(address),
            ...orderTerm(now),
          },
          now,
        )
        const entry = {
          action: 'order.create',
          target: `order:${placed.id}`,
          details: { packageId },
        }
        const payer = { key: actor.key, paymentMethod, placed: { by: actor, entry } }
        const order = await checkouts.pay(tx, placed, payer)
        await unpaid.check(tx, order)
        await publishTokenChange(tx, events, userId)
        return order
      })
      return { order, checkoutUrl: await checkouts.openOrRelease(order, paymentMethod) }
    },
  }
}

/** The client's credit is locked, so of two concurrent orders the second sees the first. */
async function refuseSecondTrial(tx: Db, userId: number): Promise<void> {
  const [had] = await tx
    .select({ of: count() })
    .from(orders)
    .where(
      and(
        eq(orders.userId, userId),
        eq(orders.kind, 'package'),
        ne(orders.status, 'cancelled'),
        ilike(orders.planName, '%trial%'),
      ),
    )
  if (had?.of) throw new AppError('TRIAL_USED', 'You have already ordered a trial.')
}

async function checkRoom(tx: Db, plan: Plan, hypervisors: Deps['hypervisors']): Promise<void> {
  if (hasRoom(await freeRooms(tx, hypervisors), packageSize(plan))) return
  throw new AppError('SOLD_OUT', 'This plan is sold out: no server has room for it now.')
}
