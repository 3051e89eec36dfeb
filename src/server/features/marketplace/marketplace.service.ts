import { and, asc, eq, inArray, or } from 'drizzle-orm'
import type { WithCoupon } from '#shared/api/money/coupons.ts'
import type { Paying } from '#shared/api/money/payment-methods.ts'
import type { Wishes } from '#shared/api/parts/wishes.ts'
import { notFound } from '#shared/errors.ts'
import { isStock, STOCK } from '#shared/rules/token/token-status.ts'
import { userDataRefusal } from '#shared/rules/user-data/user-data.ts'
import { tokens } from '../../db/schema/stock.ts'
import { toClientOrder } from '../../orders/orders.ts'
import { stockProblems } from '../../provisioning/allocation/stock-health.ts'
import type { Sales } from '../../provisioning/sales.ts'
import { offerRefusal } from '../../provisioning/seed/user-data-offer.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { toFacts } from '../../tokens/token-rows.ts'

type MarketplaceDeps = Pick<Deps, 'db' | 'hypervisors'> & { sales: Sales }

export function marketplaceService({ db, hypervisors, sales }: MarketplaceDeps) {
  const claim = async (...asked: Parameters<Sales['claim']>) => {
    const { token, order, ...rest } = await sales.claim(...asked)
    return { token: toFacts(token), order: toClientOrder(order), ...rest }
  }

  const refusalOn = async (nodeId: number | null | undefined) =>
    (await offerRefusal(db, nodeId, hypervisors)) ?? null

  return {
    /** Tokens that can be delivered now, and the caller's own. Never a credential. */
    async list(actor: Actor) {
      const mine = and(
        eq(tokens.assignedUserId, actor.user.id),
        inArray(tokens.status, ['pending', 'assigned']),
      )
      const rows = await db
        .select()
        .from(tokens)
        .where(or(inArray(tokens.status, STOCK), mine))
        .orderBy(asc(tokens.monthlyPriceCents), asc(tokens.id))
      const problems = await stockProblems(db, rows, hypervisors)
      return rows
        .filter(({ id }) => !problems.has(id))
        .map((row) => ({ ...toFacts(row), assignedUserId: row.assignedUserId }))
    },

    /** Without a token it is about packages. Nothing is told of a token that is not on sale. */
    async userData(tokenId: number | undefined) {
      if (tokenId === undefined) return { refusal: await refusalOn(undefined) }
      const [token] = await db.select().from(tokens).where(eq(tokens.id, tokenId))
      if (!token || !isStock(token.status)) throw notFound('Token')
      const isReady = token.tokenType === 'ready'
      const ofItsKind = userDataRefusal({ osType: token.osType, isReady })
      return { refusal: ofItsKind ?? (await refusalOn(token.nodeId)) }
    },

    purchase: (
      actor: Actor,
      tokenName: string,
      { paymentMethod, coupon, ...wishes }: Wishes & Paying & WithCoupon,
      address: string,
    ) => claim(actor, tokenName, 'purchase', { wishes, address, paymentMethod, coupon }),
    trial: (actor: Actor, tokenName: string, wishes: Wishes) =>
      claim(actor, tokenName, 'trial', { wishes }),
  }
}
