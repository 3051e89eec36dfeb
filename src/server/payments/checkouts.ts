import { eq } from 'drizzle-orm'
import type { OrderKind } from '#shared/api/shop/orders.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { creditTooSmall } from '#shared/rules/instance/package-change.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { spendByKey } from '../api-keys/spend-by-key.ts'
import type { Audit, AuditEntry, Doer } from '../audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { forgetEffect } from '../db/effect-scope.ts'
import { orders, payments } from '../db/schema/sales.ts'
import { transfer } from '../ledger/ledger.ts'
import { dueOf, lockOrder, moveOrder, type OrderRow } from '../orders/orders.ts'
import { releaseOrder } from '../orders/release.ts'
import type { Deps } from '../runtime/deps.ts'
import type { ActorKey } from '../sessions/actor.ts'
import { OPEN, type PaymentRow, paymentsOf, stateOf } from './payment-rows.ts'
import type { Bill } from './port/payment-provider.ts'
import type { Fulfil } from './settlement.ts'
import { spendCredit } from './spend-credit.ts'
import type { Providers } from './ways/providers.ts'
import type { Chosen, Ways } from './ways/ways.ts'

/** How long one attempt at the provider can be paid; also how long a claimed token waits (O4). */
export const WAIT_MS = 30 * MINUTE_MS

/**
 * How long an order that reserves nothing waits for payment: one day, with any number of attempts.
 * One that is paid by hand has no limit: `pay` takes it away.
 */
export const orderTerm = (now: Date) => ({ payBy: new Date(now.getTime() + DAY_MS) })

type CheckoutDeps = Pick<Deps, 'db' | 'clock'> & {
  config: Pick<Config, 'publicUrl' | 'host' | 'port'>
  providers: Providers
  ways: Ways
  audit: Audit
  fulfil: Fulfil
}

export type Payer = {
  /** The API key that the call came with: its daily limit counts this. */
  key: ActorKey | undefined
  paymentMethod?: string | undefined
  /** The ledger takes one posting with this key. */
  once?: string
  /** False for a payer who is not the client: the client's credit is left alone. */
  fromCredit?: boolean
  /** What the log says of an order placed just now, before it says that the order is paid. */
  placed?: { by: Doer | undefined; entry: AuditEntry }
}

export type Checkouts = ReturnType<typeof createCheckouts>

/** Our own page of an order: payment methods while it is due, the receipt afterwards. */
const orderPath = (orderId: number): string => `/billing/orders/${orderId}`

/** Takes payment for orders that have been placed. */
export function createCheckouts(deps: CheckoutDeps) {
  const { db, clock, config, providers, ways, audit, fulfil } = deps
  const base = config.publicUrl ?? `http://${config.host}:${config.port}`

  /** An instant provider confirms the payment at once, so one attempt is enough. */
  const payAtOnce = async (tx: Db, order: OrderRow, { provider, way }: Chosen) => {
    const { name, createCheckout } = provider
    const now = clock.now()
    const { paymentId } = await createCheckout(billOf(order, 1, way))
    const cents = dueOf(order)
    const [payment] = await tx
      .insert(payments)
      .values({
        orderId: order.id,
        provider: name,
        way: way ?? null,
        providerPaymentId: paymentId,
        amountCents: cents,
        receivedCents: cents,
        seenCents: cents,
        currency: order.currency,
        status: 'paid',
        createdAt: now,
        updatedAt: now,
      })
      .returning({ id: payments.id })
    if (!payment) throw new Error('the payment was not stored')
    await transfer(tx, {
      from: 'received',
      to: 'held',
      cents,
      userId: order.userId,
      orderId: order.id,
      paymentId: payment.id,
      provider: name,
      reason: 'paid',
      at: now,
    })
  }

  /** Where no provider is named, nothing is due. */
  const payNow = async (tx: Db, order: OrderRow, chosen: Chosen | undefined) => {
    if (chosen && !chosen.provider.isInstant) {
      return chosen.provider.isByHand ? await withoutLimit(tx, order) : order
    }
    if (chosen) await payAtOnce(tx, order, chosen)
    return await fulfil(tx, await moveOrder(tx, order, { to: 'paid', now: clock.now() }))
  }

  const billOf = (order: OrderRow, attempt: number, way: string | undefined): Bill => ({
    orderId: order.id,
    attempt,
    amountCents: dueOf(order),
    currency: order.currency,
    description: order.planName,
    returnUrl: `${base}${orderPath(order.id)}`,
    expiresAt: new Date(clock.now().getTime() + WAIT_MS),
    ...(way === undefined ? {} : { way }),
  })

  return {
    /**
     * Pays as much as can be paid at once: from the client's credit, through an instant provider,
     * or because nothing is due. An order paid here is already being delivered when this returns.
     * The caller's transaction must hold `lockCredit()`.
     */
    async pay(tx: Db, placed: OrderRow, payer: Payer): Promise<OrderRow> {
      const { key, paymentMethod, once, fromCredit = true } = payer
      const now = clock.now()
      await spendByKey(tx, key, { orderId: placed.id, cents: dueOf(placed), now })
      const order = fromCredit ? await spendCredit(tx, placed, now, once) : placed
      const isDue = dueOf(order) > 0
      const chosen =
        isDue || paymentMethod !== undefined ? await ways.choose(tx, paymentMethod) : undefined
      if (isDue && !chosen) throw notByCredit(order)
      const paid = await payNow(tx, order, isDue ? chosen : undefined)
      if (payer.placed) await audit.record(tx, payer.placed.by, payer.placed.entry)
      if (paid.status !== 'pending' && dueOf(placed) > 0) {
        const [provider, cents] = isDue
          ? [chosen?.provider.name, dueOf(order)]
          : ['credit', dueOf(placed)]
        const entry = { target: `order:${order.id}`, details: { provider, cents } }
        await audit.record(tx, undefined, { action: 'order.paid', ...entry })
      }
      return paid
    },

    open,

    /**
     * Opens the checkout of an order just placed. If that fails, the order is removed as if it had
     * never been placed.
     */
    async openOrRelease(
      order: OrderRow,
      paymentMethod?: string,
      page?: string,
    ): Promise<string | undefined> {
      try {
        return await open(order, paymentMethod, page)
      } catch (error) {
        await db.transaction(async (tx) => {
          const locked = await lockOrder(tx, order.id)
          if (locked.status === 'pending') await releaseOrder(tx, locked, { now: clock.now() })
          // The order was never placed, so the same idempotency key may place it again.
          await forgetEffect(tx)
        })
        throw error
      }
    },
  }

  /**
   * Returns where the client pays what is still due: the open payment of the chosen way, or a new
   * one beside those of other ways. `page` is the page of ours on which it is paid. Must not run inside
   * a transaction: it calls the provider.
   */
  async function open(
    known: OrderRow,
    paymentMethod?: string,
    page = orderPath(known.id),
  ): Promise<string | undefined> {
    if (known.status !== 'pending') return undefined
    // A repeated call may arrive long after the order was placed.
    const order = await readOrder(known.id)
    if (order?.status !== 'pending') return undefined
    const now = clock.now()
    // Read once: two calls at the same moment see the same payments, so both ask the provider for a
    // payment with the same number and get the same one.
    const before = await paymentsOf(db, [order.id])
    const payable = before.findLast(
      (payment) =>
        OPEN.includes(stateOf(payment)) &&
        isStillGood(payment, order, now) &&
        isOfWay(payment, paymentMethod),
    )
    if (payable) {
      await showAgain(payable, paymentMethod, now)
      return pageOf(page, payable)
    }
    const chosen = await ways.choose(db, paymentMethod)
    if (!chosen) throw notByCredit(order)
    const { name, createCheckout } = chosen.provider
    const bill = { ...billOf(order, before.length + 1, chosen.way), returnUrl: `${base}${page}` }
    const { paymentId, url, expiresAt } = await ways.ask(chosen, () => createCheckout(bill))
    await db
      .insert(payments)
      .values({
        orderId: order.id,
        provider: name,
        way: chosen.way ?? null,
        providerPaymentId: paymentId,
        amountCents: bill.amountCents,
        currency: bill.currency,
        status: 'pending',
        url: url ?? null,
        expiresAt: expiresAt ?? bill.expiresAt,
        createdAt: now,
        updatedAt: now,
      })
      .onConflictDoNothing()
    return pageOf(page, { provider: name, url: url ?? null })
  }

  /** The page of the order shows the payment that was chosen last. */
  async function showAgain({ id }: PaymentRow, paymentMethod: string | undefined, now: Date) {
    if (paymentMethod === undefined) return
    await db.update(payments).set({ updatedAt: now }).where(eq(payments.id, id))
  }

  async function readOrder(id: number): Promise<OrderRow | undefined> {
    const [row] = await db.select().from(orders).where(eq(orders.id, id))
    return row
  }

  async function pageOf(
    page: string,
    payment: Pick<PaymentRow, 'provider' | 'url'>,
  ): Promise<string> {
    const isPaidHere = (await providers.now(db)).named(payment.provider)?.isPaidHere
    return payment.url && !isPaidHere ? payment.url : page
  }
}

const isOfWay = ({ way }: PaymentRow, paymentMethod: string | undefined): boolean =>
  paymentMethod === undefined || way === paymentMethod

const notByCredit = (order: OrderRow) => new AppError('INVALID_STATE', whyNotByCredit(order))

function whyNotByCredit(order: OrderRow): string {
  if (order.kind === 'top-up')
    return 'Credit cannot be bought with credit. Choose another way to pay.'
  if (order.kind === 'change') return creditTooSmall(dueOf(order))
  return `Your credit does not cover this: $${decimal(dueOf(order))} is missing. Choose another way to pay.`
}

const WAITS: OrderKind[] = ['package', 'renewal', 'top-up']

/** An order that reserves nothing waits for an operator as long as it takes. */
async function withoutLimit(tx: Db, order: OrderRow): Promise<OrderRow> {
  if (!WAITS.includes(order.kind)) return order
  const [row] = await tx
    .update(orders)
    .set({ payBy: null })
    .where(eq(orders.id, order.id))
    .returning()
  if (!row) throw notFound('Order')
  return row
}

const isStillGood = (payment: PaymentRow, order: OrderRow, now: Date): boolean =>
  payment.status === 'confirming' ||
  (payment.amountCents === dueOf(order) && (payment.expiresAt ?? now) > now)
