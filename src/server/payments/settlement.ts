import { eq } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Cents } from '#shared/rules/money.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Db } from '../db/database.ts'
import { payments } from '../db/schema/sales.ts'
import type { Deps } from '../deps.ts'
import { dueOf, lockOrder, moveOrder, type OrderRow } from '../provisioning/orders.ts'
import { tellOwner } from '../provisioning/provision-world.ts'
import { heldIn, transfer } from './ledger.ts'
import type { PaymentFacts } from './payment-provider.ts'
import { type PaymentRow, stateOf } from './payment-rows.ts'

/** Delivers an order that has just been paid, or says that it cannot be. The order as it is then. */
export type Fulfil = (tx: Db, order: OrderRow) => Promise<OrderRow>

type SettlementDeps = Pick<Deps, 'db' | 'clock' | 'events'> & { audit: Audit; fulfil: Fulfil }

export type Settlement = ReturnType<typeof createSettlement>

/**
 * What a provider says of a payment becomes what we do, in one transaction. The facts are totals, so
 * the same ones twice, or older ones late, change nothing.
 */
export function createSettlement({ db, clock, events, audit, fulfil }: SettlementDeps) {
  const apply = async (tx: Db, paymentId: number, facts: PaymentFacts): Promise<PaymentRow> => {
    const { order, payment } = await lockBoth(tx, paymentId)
    const now = clock.now()
    const receivedCents = Math.max(payment.receivedCents, facts.receivedCents)
    const refundedCents = Math.min(
      receivedCents,
      Math.max(payment.refundedCents, facts.refundedCents),
    )
    const status = laterOf(payment, facts, { receivedCents, refundedCents })
    const seenCents = Math.max(receivedCents, facts.seenCents ?? 0)
    const gained = receivedCents - payment.receivedCents
    const returned = refundedCents - payment.refundedCents
    const isSame = status === payment.status && seenCents === payment.seenCents
    if (gained === 0 && returned === 0 && isSame) return payment
    const [row] = await tx
      .update(payments)
      .set({ receivedCents, refundedCents, seenCents, status, updatedAt: now })
      .where(eq(payments.id, paymentId))
      .returning()
    if (!row) throw notFound('Payment')
    if (gained > 0) await receive(tx, order, row, gained)
    if (returned > 0) await giveBack(tx, order, row, returned)
    await tellOwner(tx, events, order.userId)
    return row
  }

  /** Enough for the order pays it; all else is the client's, for the next one (O4). */
  const receive = async (tx: Db, order: OrderRow, payment: PaymentRow, cents: Cents) => {
    const now = clock.now()
    const due = order.status === 'pending' && cents >= dueOf(order) ? dueOf(order) : 0
    const about = {
      from: 'received',
      userId: order.userId,
      orderId: order.id,
      paymentId: payment.id,
      provider: payment.provider,
      at: now,
    } as const
    await transfer(tx, { ...about, to: 'held', cents: due, reason: 'paid' })
    await transfer(tx, { ...about, to: 'credit', cents: cents - due, reason: 'more than was due' })
    const isPaid = due > 0
    if (isPaid) {
      const paid = await moveOrder(tx, order, { to: 'paid', now })
      await fulfil(tx, paid)
    }
    await audit.record(tx, undefined, {
      action: isPaid ? 'order.paid' : 'order.credited',
      target: `order:${order.id}`,
      details: { provider: payment.provider, cents },
    })
  }

  /** Money the provider sent back: out of what is still held, else earned, else the credit. */
  const giveBack = async (tx: Db, order: OrderRow, payment: PaymentRow, cents: Cents) => {
    const now = clock.now()
    let left = cents
    for (const from of ['held', 'earned'] as const) {
      const taken = Math.min(left, Math.max(0, await heldIn(tx, from, order.id)))
      await back(tx, order, payment, { from, cents: taken, now })
      left -= taken
    }
    await back(tx, order, payment, { from: 'credit', cents: left, now })
    if (order.status === 'paid' && (await heldIn(tx, 'held', order.id)) === 0) {
      await moveOrder(tx, order, { to: 'cancelled', now })
    }
    await audit.record(tx, undefined, {
      action: 'order.refunded',
      target: `order:${order.id}`,
      details: { provider: payment.provider, cents },
    })
  }

  return {
    /** Inside a transaction of the caller. */
    apply,
    settle: (paymentId: number, facts: PaymentFacts): Promise<PaymentRow> =>
      db.transaction((tx) => apply(tx, paymentId, facts)),
  }
}

/** Always the order first: everyone locks in the same direction. */
async function lockBoth(tx: Db, paymentId: number) {
  const [found] = await tx
    .select({ orderId: payments.orderId })
    .from(payments)
    .where(eq(payments.id, paymentId))
  if (!found) throw notFound('Payment')
  const order = await lockOrder(tx, found.orderId)
  const [payment] = await tx.select().from(payments).where(eq(payments.id, paymentId)).for('update')
  if (!payment) throw notFound('Payment')
  return { order, payment }
}

/** A payment never becomes open again, and what went back entirely is refunded. */
function laterOf(
  payment: PaymentRow,
  facts: PaymentFacts,
  sums: { receivedCents: Cents; refundedCents: Cents },
) {
  if (sums.refundedCents > 0 && sums.refundedCents === sums.receivedCents) return 'refunded'
  const known = stateOf(payment)
  if (known === 'paid' || known === 'refunded') return known
  const isReopened = (known === 'expired' || known === 'failed') && facts.state === 'pending'
  return isReopened ? known : facts.state
}

async function back(
  tx: Db,
  order: OrderRow,
  payment: PaymentRow,
  { from, cents, now }: { from: 'held' | 'earned' | 'credit'; cents: Cents; now: Date },
): Promise<void> {
  await transfer(tx, {
    from,
    to: 'received',
    cents,
    userId: order.userId,
    orderId: order.id,
    paymentId: payment.id,
    provider: payment.provider,
    reason: 'sent back',
    at: now,
  })
}
