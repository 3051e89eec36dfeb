import { eq } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Db } from '../db/database.ts'
import { payments } from '../db/schema/sales.ts'
import { heldIn, transfer } from '../ledger/ledger.ts'
import { accountOf, dueOf, lockOrder, moveOrder, type OrderRow } from '../orders/orders.ts'
import type { Deps } from '../runtime/deps.ts'
import { publishTokenChange } from '../tokens/publish-token-change.ts'
import { recordDisputes } from './disputes.ts'
import { type PaymentRow, stateOf } from './payment-rows.ts'
import type { PaymentFacts } from './port/payment-provider.ts'

/**
 * Delivers an order that has just been paid, or records why it cannot. Returns the updated order.
 */
export type Fulfil = (tx: Db, order: OrderRow) => Promise<OrderRow>

/** What happens to an order and its server when its money is taken back or regained. */
export type TakenBack = {
  /** The provider refunded it in full: the order ends, and with it the term it paid for. */
  refunded(tx: Db, order: OrderRow): Promise<void>
  /** Lost to the payer's bank: the server is suspended, and the client reads why. */
  lost(tx: Db, order: OrderRow): Promise<void>
  /**
   * Won after all: the server that the dispute suspended runs again, unless another dispute is
   * lost.
   */
  won(tx: Db, order: OrderRow): Promise<void>
}

type SettlementDeps = Pick<Deps, 'db' | 'clock' | 'events'> & {
  audit: Audit
  fulfil: Fulfil
  takenBack: TakenBack
}

export type Settlement = ReturnType<typeof createSettlement>

/**
 * Applies what a provider reports of a payment, in one transaction. The facts are totals, so
 * repeated or stale facts change nothing.
 */
export function createSettlement(deps: SettlementDeps) {
  const { db, clock, events, audit, fulfil, takenBack } = deps

  const apply = async (tx: Db, paymentId: number, facts: PaymentFacts): Promise<PaymentRow> => {
    const { order, payment } = await lockBoth(tx, paymentId)
    const now = clock.now()
    const disputed = await recordDisputes(tx, paymentId, facts.disputes ?? [], now)
    const receivedCents = Math.max(payment.receivedCents, facts.receivedCents)
    const refundedCents = Math.min(
      receivedCents,
      Math.max(payment.refundedCents, facts.refundedCents),
    )
    const lostCents = Math.min(receivedCents - refundedCents, disputed.lostCents)
    const sums = { receivedCents, refundedCents, lostCents }
    const status = laterOf(payment, facts, sums)
    const seenCents = Math.max(receivedCents, facts.seenCents ?? 0)
    const gained = receivedCents - payment.receivedCents
    const refunded = refundedCents - payment.refundedCents
    const lost = lostCents - payment.lostCents
    const isSame = status === payment.status && seenCents === payment.seenCents
    const isNews = disputed.moved.length > 0 || !isSame
    if (gained === 0 && refunded === 0 && lost === 0 && !isNews) return payment
    const [row] = await tx
      .update(payments)
      .set({ ...sums, seenCents, status, updatedAt: now })
      .where(eq(payments.id, paymentId))
      .returning()
    if (!row) throw notFound('Payment')
    if (gained > 0) await receive(tx, order, row, gained)
    await takeBack(tx, row, { refunded, lost })
    await publishTokenChange(tx, events, order.userId)
    for (const { id, state, cents } of disputed.moved) {
      const target = `order:${order.id}`
      const details = { provider: row.provider, dispute: id, cents }
      await audit.record(tx, undefined, { action: `order.dispute-${state}`, target, details })
    }
    return row
  }

  /**
   * Books money that went back and takes back what it paid for. Reads the order again, because a
   * delivery may have moved it.
   */
  const takeBack = async (
    tx: Db,
    payment: PaymentRow,
    { refunded, lost }: { refunded: Cents; lost: Cents },
  ): Promise<void> => {
    const back = refunded + lost
    if (back > 0) await bookRefund(tx, await lockOrder(tx, payment.orderId), payment, back)
    if (back < 0) await regain(tx, await lockOrder(tx, payment.orderId), payment, -back)
    const order = await lockOrder(tx, payment.orderId)
    if (lost > 0) await takenBack.lost(tx, order)
    else if (refunded > 0) await takenBack.refunded(tx, order)
    if (lost < 0) await takenBack.won(tx, order)
  }

  /** A lost dispute is won after all: the money is back where it was, or becomes the client's credit. */
  const regain = async (tx: Db, order: OrderRow, payment: PaymentRow, cents: Cents) => {
    const to = order.status === 'active' ? accountOf(order) : 'credit'
    const { id: orderId, userId } = order
    const { id: paymentId, provider } = payment
    const about = { userId, orderId, paymentId, provider, at: clock.now() }
    await transfer(tx, { ...about, from: 'received', to, cents, reason: 'dispute won' })
  }

  /** An amount that covers the order pays it; the rest becomes credit for the next order (O4). */
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

  /** Books money that the provider sent back: from held, then earned, then credit. */
  const bookRefund = async (tx: Db, order: OrderRow, payment: PaymentRow, cents: Cents) => {
    const now = clock.now()
    let left = cents
    for (const from of ['held', 'earned'] as const) {
      const taken = Math.min(left, Math.max(0, await heldIn(tx, from, order.id)))
      await back(tx, order, payment, { from, cents: taken, now })
      left -= taken
    }
    await back(tx, order, payment, { from: 'credit', cents: left, now })
    await audit.record(tx, undefined, {
      action: 'order.refunded',
      target: `order:${order.id}`,
      details: { provider: payment.provider, cents },
    })
  }

  return {
    /** Runs inside the caller's transaction. */
    apply,
    settle: (paymentId: number, facts: PaymentFacts): Promise<PaymentRow> =>
      db.transaction((tx) => apply(tx, paymentId, facts)),
  }
}

/** Always locks the order first, so that concurrent transactions lock in the same direction. */
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

/**
 * A payment never reopens; one that was sent back in full is refunded, unless the dispute is won.
 */
function laterOf(
  payment: PaymentRow,
  facts: PaymentFacts,
  {
    receivedCents,
    refundedCents,
    lostCents,
  }: Record<'receivedCents' | 'refundedCents' | 'lostCents', Cents>,
) {
  const back = refundedCents + lostCents
  if (back > 0 && back === receivedCents) return 'refunded'
  const known = stateOf(payment)
  if (known === 'paid' || known === 'refunded') return 'paid'
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
