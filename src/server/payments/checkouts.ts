import { eq } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { forgetEffect } from '../db/effect-scope.ts'
import { orders, payments } from '../db/schema/sales.ts'
import { creditOf } from '../ledger/credit.ts'
import { transfer } from '../ledger/ledger.ts'
import { dueOf, lockOrder, moveOrder, type OrderRow } from '../orders/orders.ts'
import { releaseOrder } from '../orders/release.ts'
import type { Deps } from '../runtime/deps.ts'
import { openPaymentsOf, type PaymentRow, paymentsOf } from './payment-rows.ts'
import type { PaymentProvider } from './port/payment-provider.ts'
import type { Fulfil } from './settlement.ts'

/** How long one attempt at the provider can be paid; also how long a claimed token waits (O4). */
export const WAIT_MS = 30 * MINUTE_MS

/**
 * How long an order that reserves nothing waits for payment: one day, with any number of attempts.
 * An order that an admin marks as paid has no limit.
 */
export const orderTerm = ({ paymentProvider }: Pick<Config, 'paymentProvider'>, now: Date) =>
  paymentProvider === 'manual' ? {} : { payBy: new Date(now.getTime() + DAY_MS) }

type CheckoutDeps = Pick<Deps, 'db' | 'clock'> & {
  config: Pick<Config, 'publicUrl' | 'host' | 'port'>
  provider: PaymentProvider
  fulfil: Fulfil
}

export type Checkouts = ReturnType<typeof createCheckouts>

/** Our own page of an order: payment methods while it is due, the receipt afterwards. */
const orderPath = (orderId: number): string => `/billing/orders/${orderId}`

/** Takes payment for orders that have been placed. */
export function createCheckouts({ db, clock, config, provider, fulfil }: CheckoutDeps) {
  const base = config.publicUrl ?? `http://${config.host}:${config.port}`

  const deliver = async (tx: Db, order: OrderRow): Promise<OrderRow> =>
    await fulfil(tx, await moveOrder(tx, order, { to: 'paid', now: clock.now() }))

  /** An instant provider confirms the payment at once, so one attempt is enough. */
  const payAtOnce = async (tx: Db, order: OrderRow, { name, createCheckout }: PaymentProvider) => {
    const now = clock.now()
    const { paymentId } = await createCheckout(billOf(order, 1))
    const cents = dueOf(order)
    const [payment] = await tx
      .insert(payments)
      .values({
        orderId: order.id,
        provider: name,
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

  const billOf = (order: OrderRow, attempt: number) => ({
    orderId: order.id,
    attempt,
    amountCents: dueOf(order),
    currency: order.currency,
    description: order.planName,
    returnUrl: `${base}${orderPath(order.id)}`,
    expiresAt: new Date(clock.now().getTime() + WAIT_MS),
  })

  return {
    /**
     * Pays as much as can be paid at once: from the client's credit, through an instant provider,
     * or because nothing is due. An order paid here is already being delivered when this returns.
     * The caller's transaction must hold `lockCredit()`.
     */
    async pay(tx: Db, placed: OrderRow): Promise<OrderRow> {
      const order = await spendCredit(tx, placed, clock.now())
      const due = dueOf(order)
      if (due > 0 && !provider.isInstant) return order
      if (due > 0) await payAtOnce(tx, order, provider)
      return await deliver(tx, order)
    },

    open,

    /**
     * Opens the checkout of an order just placed. If that fails, the order is removed as if it had
     * never been placed.
     */
    async openOrRelease(order: OrderRow): Promise<string | undefined> {
      try {
        return await open(order)
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
   * Returns where the client pays what is still due. Must not run inside a transaction: it calls
   * the provider.
   */
  async function open(known: OrderRow): Promise<string | undefined> {
    if (known.status !== 'pending') return undefined
    // A repeated call may arrive long after the order was placed.
    const order = await readOrder(known.id)
    if (order?.status !== 'pending') return undefined
    const now = clock.now()
    const payable = (await openPaymentsOf(db, order.id)).findLast((payment) =>
      isStillGood(payment, order, now),
    )
    if (payable) return pageOf(order, payable.url)
    const bill = billOf(order, (await paymentsOf(db, [order.id])).length + 1)
    const { name, createCheckout } = provider
    const { paymentId, url, expiresAt } = await createCheckout(bill)
    await db
      .insert(payments)
      .values({
        orderId: order.id,
        provider: name,
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
    return pageOf(order, url)
  }

  async function readOrder(id: number): Promise<OrderRow | undefined> {
    const [row] = await db.select().from(orders).where(eq(orders.id, id))
    return row
  }

  function pageOf({ id }: OrderRow, url: string | null | undefined): string {
    return url && !provider.isPaidHere ? url : orderPath(id)
  }
}

const isStillGood = (payment: PaymentRow, order: OrderRow, now: Date): boolean =>
  payment.status === 'confirming' ||
  (payment.amountCents === dueOf(order) && (payment.expiresAt ?? now) > now)

/** Spends the client's credit first. The caller must hold `lockCredit()`. */
async function spendCredit(tx: Db, order: OrderRow, now: Date): Promise<OrderRow> {
  if (order.userId === null || dueOf(order) === 0) return order
  const cents = Math.min(dueOf(order), Math.max(0, await creditOf(tx, order.userId)))
  if (cents === 0) return order
  await transfer(tx, {
    from: 'credit',
    to: 'held',
    cents,
    userId: order.userId,
    orderId: order.id,
    reason: 'paid from credit',
    at: now,
  })
  const [row] = await tx
    .update(orders)
    .set({ creditCents: order.creditCents + cents, updatedAt: now })
    .where(eq(orders.id, order.id))
    .returning()
  if (!row) throw notFound('Order')
  return row
}
