import { and, eq } from 'drizzle-orm'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Db } from '../db/database.ts'
import { orders, payments, type subscriptions } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { openRenewal } from '../orders/open-renewal.ts'
import { lockOrder, type OrderRow } from '../orders/orders.ts'
import { placeOrder } from '../orders/place-order.ts'
import { releaseOrder } from '../orders/release.ts'
import type { Deps } from '../runtime/deps.ts'
import type { Settlement } from './settlement.ts'

export type ChargeDeps = Pick<Deps, 'clock'> & {
  audit: Audit
  settlement: Pick<Settlement, 'apply'>
}

type Charge = {
  invoiceId: string
  paidCents: Cents
  currency: string
  row: typeof subscriptions.$inferSelect & { userId: number }
}

/**
 * Records an invoice that Stripe has charged as a paid renewal, once: the invoice's id is the
 * payment's id. From there it is settled like every payment. The caller must hold `lockCredit()`.
 */
export async function recordCharge(tx: Db, charge: Charge, deps: ChargeDeps): Promise<OrderRow> {
  const { invoiceId, paidCents, currency, row } = charge
  const known = await orderOfInvoice(tx, invoiceId)
  if (known) return known
  const now = deps.clock.now()
  const order = await renewalToPay(tx, charge, deps)
  const [payment] = await tx
    .insert(payments)
    .values({
      orderId: order.id,
      provider: 'stripe',
      providerPaymentId: invoiceId,
      amountCents: paidCents,
      currency,
      status: 'pending',
      createdAt: now,
      updatedAt: now,
    })
    .returning()
  if (!payment) throw new Error('the payment was not stored')
  const { providerSubscriptionId, customerId: providerCustomerId } = row
  await tx
    .update(orders)
    .set({ providerSubscriptionId, providerCustomerId })
    .where(eq(orders.id, order.id))
  const facts = { state: 'paid', receivedCents: paidCents, refundedCents: 0 } as const
  await deps.settlement.apply(tx, payment.id, facts)
  return await lockOrder(tx, order.id)
}

async function orderOfInvoice(tx: Db, invoiceId: string): Promise<OrderRow | undefined> {
  const [found] = await tx
    .select({ order: orders })
    .from(payments)
    .innerJoin(orders, eq(orders.id, payments.orderId))
    .where(and(eq(payments.provider, 'stripe'), eq(payments.providerPaymentId, invoiceId)))
  return found?.order
}

/**
 * The renewal that the client began by hand; at most one is open, and another owner's is not paid.
 * One for several months is not what the subscription pays: it gives way, and money that still
 * arrives for it becomes credit.
 */
async function renewalToPay(tx: Db, charge: Charge, deps: ChargeDeps): Promise<OrderRow> {
  const { tokenId, userId } = charge.row
  const open = tokenId === null ? undefined : await openRenewal(tx, { tokenId, userId })
  if (open?.months === 1) return open
  const now = deps.clock.now()
  if (open) await releaseOrder(tx, open, { now })
  const placed = await newRenewal(tx, charge, now)
  const details = { ...(tokenId !== null && { tokenId }), by: 'subscription' }
  const entry = { action: 'order.create', target: `order:${placed.id}`, details }
  await deps.audit.record(tx, undefined, entry)
  return placed
}

async function newRenewal(tx: Db, { row, paidCents }: Charge, now: Date): Promise<OrderRow> {
  const [token] = await tx
    .select()
    .from(tokens)
    .where(eq(tokens.id, row.tokenId ?? 0))
  const order = {
    userId: row.userId,
    kind: 'renewal',
    planName: token?.name ?? 'A server that no longer exists',
    osType: token?.osType ?? '',
    amountCents: paidCents,
    // Handed over meanwhile: nothing is renewed, and the charge becomes credit.
    ...(token?.assignedUserId === row.userId ? { tokenId: token.id } : {}),
  } as const
  return await placeOrder(tx, order, now)
}
