import { and, eq } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { lockCredit } from '../ledger/credit.ts'
import type { OrderRow } from '../orders/orders.ts'
import { placeOrder } from '../orders/place-order.ts'
import { releaseOrder } from '../orders/release.ts'
import { type Checkouts, orderTerm } from '../payments/checkouts.ts'
import type { Deps } from '../runtime/deps.ts'
import type { Actor } from '../sessions/actor.ts'
import { publishTokenChange } from '../tokens/publish-token-change.ts'
import { renewalTerm } from '../tokens/renewal-term.ts'
import type { TokenRow } from '../tokens/token-rows.ts'
import { endToken, releaseOpenRenewals } from './lifecycle/end-token.ts'
import type { stopJob } from './lifecycle/lifecycle-jobs.ts'

export type RenewalDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'jobs'> & {
  audit: Audit
  checkouts: Checkouts
  config: Pick<Config, 'paymentProvider'>
  stop: ReturnType<typeof stopJob>
}

/** An owner's actions on an existing server: renew it or cancel it. */
export function createRenewals(deps: RenewalDeps) {
  const { db, clock, events, audit, checkouts } = deps

  const own = async (tx: Db, actor: Actor, id: number): Promise<TokenRow> => {
    const [row] = await tx
      .select()
      .from(tokens)
      .where(and(eq(tokens.id, id), eq(tokens.assignedUserId, actor.user.id)))
      .for('update')
    if (!row || row.status === 'cancelled') throw notFound('Token')
    return row
  }

  return {
    /**
     * Paid like a purchase. Takes effect once it is paid; in grace the server also starts again
     * (T7).
     */
    async renew(
      actor: Actor,
      id: number,
    ): Promise<{ order: OrderRow; checkoutUrl: string | undefined }> {
      const order = await db.transaction(async (tx) => {
        await lockCredit(tx, actor.user.id)
        // Locks the order before the token, like every settlement of a payment.
        const open = await openRenewal(tx, actor, id)
        const token = await own(tx, actor, id)
        await renewalTerm(tx, token, clock.now())
        const order = await checkouts.pay(tx, await renewalOrder(tx, token, open, deps))
        await publishTokenChange(tx, events, actor.user.id)
        const entry = { target: `order:${order.id}`, details: { tokenId: id } }
        await audit.record(tx, actor, { action: 'order.create', ...entry })
        return order
      })
      return { order, checkoutUrl: await checkouts.openOrRelease(order) }
    },

    /**
     * Stops the server now, keeps it for the grace period, then removes it like an expired one
     * (T14).
     */
    cancel: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        await lockCredit(tx, actor.user.id)
        await releaseOpenRenewals(tx, id, clock.now(), actor.user.id)
        await endToken(tx, await own(tx, actor, id), deps)
        await publishTokenChange(tx, events, actor.user.id)
        await audit.record(tx, actor, { action: 'token.cancel', target: `token:${id}` })
      }),
  }
}

async function openRenewal(tx: Db, { user }: Actor, tokenId: number) {
  const [open] = await tx
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.tokenId, tokenId),
        eq(orders.userId, user.id),
        eq(orders.kind, 'renewal'),
        eq(orders.status, 'pending'),
      ),
    )
    .for('update')
  return open
}

/** A second request continues with the order of the first, unless the price has changed. */
async function renewalOrder(
  tx: Db,
  token: TokenRow,
  open: OrderRow | undefined,
  { clock, config }: RenewalDeps,
): Promise<OrderRow> {
  if (open?.amountCents === token.monthlyPriceCents) return open
  const now = clock.now()
  if (open) await releaseOrder(tx, open, { now })
  if (token.assignedUserId === null) throw notFound('Token')
  const order = {
    userId: token.assignedUserId,
    kind: 'renewal',
    planName: token.name,
    osType: token.osType,
    amountCents: token.monthlyPriceCents,
    tokenId: token.id,
    ...orderTerm(config, now),
  } as const
  return await placeOrder(tx, order, now)
}
