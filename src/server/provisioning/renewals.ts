import { and, eq } from 'drizzle-orm'
import type { WithCoupon } from '#shared/api/money/coupons.ts'
import type { Renewing } from '#shared/api/money/payment-methods.ts'
import { AppError, notFound } from '#shared/errors.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Coupons } from '../coupons/coupons.ts'
import type { Db } from '../db/database.ts'
import { beforeEffect } from '../db/effect-scope.ts'
import { tokens } from '../db/schema/stock.ts'
import { lockCredit } from '../ledger/credit.ts'
import { openRenewal } from '../orders/open-renewal.ts'
import type { OrderRow } from '../orders/orders.ts'
import { packageIdOf } from '../orders/package-of-server.ts'
import type { Checkouts, Payer } from '../payments/checkouts.ts'
import { readDiscounts } from '../payments/ways/discounts.ts'
import type { Deps } from '../runtime/deps.ts'
import type { Actor } from '../sessions/actor.ts'
import { publishTokenChange } from '../tokens/publish-token-change.ts'
import { renewalTerm } from '../tokens/renewal-term.ts'
import type { TokenRow } from '../tokens/token-rows.ts'
import { endToken, releaseOpenRenewals } from './lifecycle/end-token.ts'
import type { stopJob } from './lifecycle/lifecycle-jobs.ts'
import { isUnderWay, renewalOrder } from './renewal-order.ts'

export type RenewalDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'jobs' | 'keyring'> & {
  audit: Audit
  checkouts: Checkouts
  coupons: Coupons
  stop: ReturnType<typeof stopJob>
}

type Which = { userId: number; tokenId: number }
/** Without an actor it is someone with the payment link. */
type Renewer = Pick<Payer, 'key' | 'fromCredit'> & { by: Actor | undefined }
type Renewed = { order: OrderRow; checkoutUrl: string | undefined }

/** An owner's actions on an existing server: renew it or cancel it. */
export function createRenewals(deps: RenewalDeps) {
  const { db, clock, events, audit, checkouts, coupons } = deps

  const own = async (tx: Db, { userId, tokenId }: Which): Promise<TokenRow> => {
    const [row] = await tx
      .select()
      .from(tokens)
      .where(and(eq(tokens.id, tokenId), eq(tokens.assignedUserId, userId)))
      .for('update')
    if (!row || row.status === 'cancelled') throw notFound('Token')
    return row
  }

  const order = async (
    tx: Db,
    which: Which,
    { paymentMethod, months = 1, coupon: code }: Renewing & WithCoupon,
    { by, ...payer }: Renewer,
  ): Promise<OrderRow> => {
    await lockCredit(tx, which.userId)
    // Locks the order before the token, like every settlement of a payment.
    const open = await openRenewal(tx, which)
    const token = await own(tx, which)
    const now = clock.now()
    await renewalTerm(tx, token, now, months)
    const discounts = await readDiscounts(tx, deps.keyring)
    const coupon = code === undefined ? undefined : { code, coupons }
    const placed = await renewalOrder(tx, token, open, { months, discounts, now, coupon })
    if (payer.fromCredit === false && open && placed.id !== open.id) await refuseUnderWay(tx, open)
    const details = { tokenId: which.tokenId, ...(!by && { by: 'payment link' }) }
    const entry = { action: 'order.create', target: `order:${placed.id}`, details }
    const paid = await checkouts.pay(tx, placed, { ...payer, paymentMethod, placed: { by, entry } })
    await publishTokenChange(tx, events, which.userId)
    return paid
  }

  const admit = async ({ userId, tokenId }: Which, code: string | undefined): Promise<void> => {
    if (code === undefined) return
    await coupons.admit(code, {
      userId,
      renews: tokenId,
      packageId: await packageIdOf(db, tokenId),
    })
  }

  return {
    /**
     * Paid like a purchase. Takes effect once it is paid; in grace the server also starts again
     * (T7).
     */
    async renew(actor: Actor, id: number, renewing: Renewing & WithCoupon = {}): Promise<Renewed> {
      const which = { userId: actor.user.id, tokenId: id }
      await beforeEffect(() => admit(which, renewing.coupon))
      const placed = await db.transaction((tx) =>
        order(tx, which, renewing, { key: actor.key, by: actor }),
      )
      const checkoutUrl = await checkouts.openOrRelease(placed, renewing.paymentMethod)
      return { order: placed, checkoutUrl }
    },

    /** Paid by anyone who has the link, on this page, and never from the owner's credit. */
    async renewByLink(which: Which, renewing: Renewing, page: string): Promise<Renewed> {
      const anyone = { key: undefined, by: undefined, fromCredit: false }
      const placed = await db.transaction((tx) => order(tx, which, renewing, anyone))
      const checkoutUrl = await checkouts.openOrRelease(placed, renewing.paymentMethod, page)
      return { order: placed, checkoutUrl }
    },

    /**
     * Stops the server now, keeps it for the grace period, then removes it like an expired one
     * (T14).
     */
    cancel: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        await lockCredit(tx, actor.user.id)
        await releaseOpenRenewals(tx, id, clock.now(), actor.user.id)
        await endToken(tx, await own(tx, { userId: actor.user.id, tokenId: id }), deps)
        await publishTokenChange(tx, events, actor.user.id)
        await audit.record(tx, actor, { action: 'token.cancel', target: `token:${id}` })
      }),
  }
}

/** Someone with a link must not give up a payment that is already on its way. */
async function refuseUnderWay(tx: Db, open: OrderRow): Promise<void> {
  if (!(await isUnderWay(tx, open.id))) return
  const sentence = 'A payment for this server is being confirmed. Please wait until it has arrived.'
  throw new AppError('INVALID_STATE', sentence)
}
