import { and, eq } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money.ts'
import { claimCallOf } from '#shared/rules/token-offer.ts'
import { isStock } from '#shared/rules/token-status.ts'
import type { Audit } from '../audit/audit-log.ts'
import { brokenConstraint, type Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'
import { orders, payments } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import type { Deps } from '../deps.ts'
import type { PaymentProvider } from '../payments/payment-provider.ts'
import type { Actor } from '../sessions/actor.ts'
import { claimToken } from './claim-step.ts'
import { giveUpFailedTrial } from './failed-trial.ts'
import { moveOrder, type OrderKind, type OrderRow } from './orders.ts'
import type { ProvisionJob } from './provision-job.ts'
import { readWorld, tellOwner } from './provision-world.ts'
import { stockProblems } from './stock-health.ts'
import { statusOf, type TokenRow, tokenNamed } from './token-rows.ts'
import { reserveVmId } from './vm-ids.ts'

export type SalesDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'hypervisors' | 'jobs'> & {
  audit: Audit
  provider: () => PaymentProvider
  provision: ProvisionJob
}

export type Sale = { token: TokenRow; order: OrderRow; jobId: string }

/** Everything that gives a token to a client: claim, order, payment and job, or nothing of it (P1). */
export function createSales(deps: SalesDeps) {
  const { db, clock, events, hypervisors, audit } = deps

  const sell = async (
    tx: Db,
    token: TokenRow,
    sale: { userId: number; kind: OrderKind; name: string; amountCents: number },
  ): Promise<Sale> => {
    const order = await placeOrder(tx, { token, ...sale }, clock.now())
    await pay(tx, order, deps)
    const jobId = await deps.jobs.enqueue(
      tx,
      deps.provision,
      { orderId: order.id, tokenId: token.id, userId: sale.userId, name: sale.name },
      { ownerId: sale.userId },
    )
    const move = { to: 'provisioning', now: clock.now(), values: { jobId } } as const
    return { token, order: await moveOrder(tx, order.id, move), jobId }
  }

  return {
    /** A client buys, tries or deploys. */
    async claim(actor: Actor, tokenName: string, call: 'purchase' | 'trial'): Promise<Sale> {
      const userId = actor.user.id
      const which = tokenNamed(tokenName)
      // Most of a crowd comes too late: to learn that they need no transaction, and no lock.
      const late = await whyNot(db, which)
      if (late) throw late
      try {
        return await db.transaction(async (tx) => {
          const token = await claimToken(tx, which, userId)
          if (!token) throw (await whyNot(tx, which)) ?? taken()
          checkCall(token, call)
          await checkSellable(tx, token, hypervisors)
          if (call === 'trial') await giveUpFailedTrial(tx, userId, clock.now())
          const amountCents = token.monthlyPriceCents
          const sale = await sell(tx, token, { userId, kind: call, name: token.name, amountCents })
          await tellOwner(tx, events, userId)
          const target = `token:${token.id}`
          await audit.record(tx, actor, { action: `token.${call}`, target })
          return sale
        })
      } catch (error) {
        throw asTrialUsed(error)
      }
    },

    /** An admin turns a token into an instance for a client; nobody pays here. */
    provisionForClient: (
      actor: Actor,
      { tokenId, name, clientUserId }: { tokenId: number; name: string; clientUserId: number },
    ): Promise<Sale & { instanceId: number }> =>
      db.transaction(async (tx) => {
        await checkClient(tx, clientUserId)
        const which = eq(tokens.id, tokenId)
        const token = await claimToken(tx, which, clientUserId)
        if (!token) throw (await whyNot(tx, which)) ?? taken()
        await checkSellable(tx, token, hypervisors)
        const { cluster } = await readWorld(tx, tokenId)
        const now = clock.now()
        const instanceId =
          token.instanceId ??
          (await reserveVmId(tx, { token, cluster, name, ownerId: clientUserId, now }, hypervisors))
            .id
        const sale = await sell(tx, token, {
          userId: clientUserId,
          kind: 'admin',
          name,
          amountCents: 0,
        })
        await tellOwner(tx, events, clientUserId)
        const details = { clientUserId }
        const target = `token:${tokenId}`
        await audit.record(tx, actor, { action: 'token.provision', target, details })
        return { ...sale, instanceId }
      }),
  }
}

export type Sales = ReturnType<typeof createSales>

const taken = () =>
  new AppError('TOKEN_TAKEN', 'This token is no longer available: somebody was faster.')

/** Absent, or somebody was faster: that it is somebody's is all a stranger learns (T3). */
async function whyNot(tx: Db, which: ReturnType<typeof tokenNamed>): Promise<AppError | undefined> {
  const [found] = await tx.select({ status: tokens.status }).from(tokens).where(which)
  if (!found || found.status === 'cancelled') return notFound('Token')
  return isStock(statusOf(found)) ? undefined : taken()
}

function checkCall(token: TokenRow, call: 'purchase' | 'trial'): void {
  if (claimCallOf({ monthlyPrice: decimal(token.monthlyPriceCents) }) === call) return
  const sentence =
    call === 'trial' ? 'This token is not free: please buy it.' : 'This token is a free trial.'
  throw new AppError('INVALID_STATE', sentence)
}

/** Judged as it was a moment ago, on sale: the claim is undone with the transaction. */
async function checkSellable(tx: Db, token: TokenRow, hypervisors: Deps['hypervisors']) {
  const asStock = { ...token, status: token.tokenType === 'ready' ? 'ready' : 'available' }
  const problem = (await stockProblems(tx, [asStock], hypervisors)).get(token.id)
  if (problem === undefined) return
  throw new AppError('INVALID_STATE', `This token cannot be delivered now. ${problem}`)
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

type NewOrder = {
  token: TokenRow
  userId: number
  kind: OrderKind
  name: string
  amountCents: number
}

export async function placeOrder(tx: Db, order: NewOrder, now: Date): Promise<OrderRow> {
  const { token, userId, kind, name, amountCents } = order
  const [row] = await tx
    .insert(orders)
    .values({
      userId,
      kind,
      planName: name,
      osType: token.osType,
      amountCents,
      tokenId: token.id,
      createdAt: now,
      updatedAt: now,
    })
    .returning()
  if (!row) throw new Error('the order was not stored')
  return row
}

/** Nothing to pay is paid. Otherwise the provider says; one that is not instant waits for its word. */
export async function pay(
  tx: Db,
  order: OrderRow,
  { provider, clock }: Pick<SalesDeps, 'provider' | 'clock'>,
): Promise<OrderRow> {
  const now = clock.now()
  if (order.amountCents === 0) return moveOrder(tx, order.id, { to: 'paid', now })
  const { name, isInstant, createCheckout } = provider()
  if (!isInstant) throw new AppError('NOT_BUILT', `Payments by ${name} are not built yet.`)
  const { id: orderId, amountCents, currency, planName: description } = order
  const { paymentId, state } = await createCheckout({ orderId, amountCents, currency, description })
  await tx.insert(payments).values({
    orderId,
    provider: name,
    providerPaymentId: paymentId,
    amountCents,
    currency,
    status: state,
    createdAt: now,
    updatedAt: now,
  })
  return moveOrder(tx, orderId, { to: 'paid', now })
}

function asTrialUsed(error: unknown): unknown {
  if (brokenConstraint(error) !== 'orders_one_trial') return error
  return new AppError('TRIAL_USED', 'You have already used your free trial.', { cause: error })
}
