import { and, eq } from 'drizzle-orm'
import type { WithCoupon } from '#shared/api/money/coupons.ts'
import type { Paying } from '#shared/api/money/payment-methods.ts'
import type { Wishes } from '#shared/api/parts/wishes.ts'
import type { OrderKind } from '#shared/api/shop/orders.ts'
import { AppError } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { claimCallOf } from '#shared/rules/token/token-offer.ts'
import { refuseLookAlike } from '../accounts/look-alike.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Coupons } from '../coupons/coupons.ts'
import { brokenConstraint, type Db } from '../db/database.ts'
import { beforeEffect } from '../db/effect-scope.ts'
import { users } from '../db/schema/accounts.ts'
import { tokens } from '../db/schema/stock.ts'
import { lockCredit } from '../ledger/credit.ts'
import { coalesced } from '../lib/async/coalesce.ts'
import type { OrderRow } from '../orders/orders.ts'
import { placeOrder } from '../orders/place-order.ts'
import { setupOf } from '../orders/server-setup.ts'
import { type Checkouts, WAIT_MS } from '../payments/checkouts.ts'
import type { Deps } from '../runtime/deps.ts'
import type { Actor } from '../sessions/actor.ts'
import { publishTokenChange } from '../tokens/publish-token-change.ts'
import { type TokenRow, tokenNamed } from '../tokens/token-rows.ts'
import { claimRefusal, createForSale, taken, yours } from './allocation/for-sale.ts'
import { reserveVmId } from './allocation/vm-ids.ts'
import { giveUpFailedTrial } from './failed-trial.ts'
import { claimToken } from './provision/claim-step.ts'
import { loadProvisionState } from './provision/provision-state.ts'
import { requireUserData } from './seed/user-data-offer.ts'
import type { UnpaidLimits } from './unpaid-limits.ts'

export type SalesDeps = Pick<
  Deps,
  'db' | 'clock' | 'events' | 'hypervisors' | 'keyring' | 'random'
> & {
  audit: Audit
  checkouts: Checkouts
  coupons: Coupons
  unpaid: UnpaidLimits
}

/** What the client chose, and where the request came from. */
type Asked = Paying & WithCoupon & { wishes?: Wishes; address?: string | undefined }

/** Includes the job that provisions the server, once it is paid. */
export type Sale = { token: TokenRow; order: OrderRow; jobId: string | undefined }

/** Every way to give a token to a client: claim, order and payment, all or nothing (P1). */
export function createSales(deps: SalesDeps) {
  const { db, clock, events, hypervisors, audit, checkouts, coupons, unpaid } = deps
  const first = coalesced<Sale>()
  const checkForSale = createForSale(deps)

  return {
    /** A client buys, tries or deploys. */
    async claim(
      actor: Actor,
      tokenName: string,
      call: 'purchase' | 'trial',
      { wishes = {}, address, paymentMethod, coupon }: Asked = {},
    ): Promise<Sale & { checkoutUrl: string | undefined }> {
      const { id } = actor.user
      const sale = await first(
        tokenName,
        () => claimNow(actor, tokenName, call, { wishes, address, paymentMethod, coupon }),
        ({ order }) => (order.userId === id ? yours(order) : taken()),
      )
      const checkoutUrl = await checkouts.openOrRelease(sale.order, paymentMethod)
      return { ...sale, checkoutUrl }
    },

    /** An admin turns a token into an instance for a client, free of charge. */
    async provisionForClient(
      actor: Actor,
      { tokenId, name, clientUserId }: { tokenId: number; name: string; clientUserId: number },
    ): Promise<Sale & { instanceId: number }> {
      await beforeEffect(() => checkForSale(`${tokenId}`))
      return await db.transaction(async (tx) => {
        await checkClient(tx, clientUserId)
        const which = eq(tokens.id, tokenId)
        const now = clock.now()
        const token = await claimToken(tx, which, { userId: clientUserId, now })
        if (!token) throw await claimRefusal(tx, which)
        const { cluster } = await loadProvisionState(tx, tokenId)
        const instanceId =
          token.instanceId ??
          (await reserveVmId(tx, { token, cluster, name, ownerId: clientUserId, now }, hypervisors))
            .id
        const order = await checkouts.pay(
          tx,
          await placeOrder(tx, orderOf(token, { userId: clientUserId, kind: 'admin', name }), now),
          { key: undefined },
        )
        await publishTokenChange(tx, events, clientUserId)
        const details = { clientUserId, orderId: order.id }
        const target = `token:${tokenId}`
        await audit.record(tx, actor, { action: 'token.provision', target, details })
        return { ...saleOf(token, order), instanceId }
      })
    },
  }

  async function claimNow(
    actor: Actor,
    tokenName: string,
    call: 'purchase' | 'trial',
    { wishes = {}, address, paymentMethod, coupon }: Asked,
  ) {
    const userId = actor.user.id
    await beforeEffect(() => checkForSale(tokenName, userId))
    // A server in stock belongs to no package.
    const wish = { userId, packageId: null }
    await beforeEffect(() => coupons.admit(coupon, wish))
    try {
      return await db.transaction(async (tx): Promise<Sale> => {
        await lockCredit(tx, userId)
        const now = clock.now()
        // Orders before tokens: every transaction locks in this order.
        if (call === 'trial') {
          await refuseLookAlike(tx, userId)
          await giveUpFailedTrial(tx, userId, now)
        }
        const which = tokenNamed(tokenName)
        const token = await claimToken(tx, which, { userId, now })
        if (!token) throw await claimRefusal(tx, which, userId)
        checkCall(token, call)
        const payBy = new Date(now.getTime() + WAIT_MS)
        const network = unpaid.networkOf(address)
        const isReady = token.tokenType === 'ready'
        const sold = { osType: token.osType, isReady }
        const setup = await setupOf(tx, userId, wishes, sold, deps)
        if (setup?.userData) await requireUserData(tx, token.nodeId, hypervisors)
        const wanted = {
          ...orderOf(token, { userId, kind: call, name: token.name }),
          ...(await coupons.reserve(tx, coupon, wish, token.monthlyPriceCents)),
          setup,
          payBy,
          network,
        }
        const placed = await placeOrder(tx, wanted, now)
        const about = { target: `token:${token.id}`, details: { orderId: placed.id } }
        const entry = { action: `token.${call}`, ...about }
        const payer = { key: actor.key, paymentMethod, placed: { by: actor, entry } }
        const order = await checkouts.pay(tx, placed, payer)
        await unpaid.check(tx, order)
        await publishTokenChange(tx, events, userId)
        return saleOf(token, order)
      })
    } catch (error) {
      throw asTrialUsed(error)
    }
  }
}

export type Sales = ReturnType<typeof createSales>

const saleOf = (token: TokenRow, order: OrderRow): Sale => ({
  token,
  order,
  jobId: order.jobId ?? undefined,
})

const orderOf = (token: TokenRow, sale: { userId: number; kind: OrderKind; name: string }) => ({
  userId: sale.userId,
  kind: sale.kind,
  planName: sale.name,
  osType: token.osType,
  // What an admin assigns is free.
  amountCents: sale.kind === 'admin' ? 0 : token.monthlyPriceCents,
  tokenId: token.id,
})

function checkCall(token: TokenRow, call: 'purchase' | 'trial'): void {
  if (claimCallOf({ monthlyPrice: decimal(token.monthlyPriceCents) }) === call) return
  const sentence =
    call === 'trial' ? 'This token is not free: please buy it.' : 'This token is a free trial.'
  throw new AppError('INVALID_STATE', sentence)
}

async function checkClient(tx: Db, id: number): Promise<void> {
  const [client] = await tx
    .select({ isActive: users.isActive })
    .from(users)
    .where(and(eq(users.id, id), eq(users.role, 'client')))
    .for('share')
  if (!client) throw new AppError('INVALID_INPUT', 'Please select or create a client')
  if (!client.isActive) throw new AppError('INVALID_STATE', 'The client is not active.')
}

function asTrialUsed(error: unknown): unknown {
  if (brokenConstraint(error) !== 'orders_one_trial') return error
  return new AppError('TRIAL_USED', 'You have already used your free trial.', { cause: error })
}
