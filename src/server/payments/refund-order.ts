import { AppError } from '#shared/errors.ts'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { creditOf } from '../ledger/credit.ts'
import { heldIn, transfer } from '../ledger/ledger.ts'
import { accountOf, type OrderRow } from '../orders/orders.ts'
import { releaseOrder } from '../orders/release.ts'
import type { Deps } from '../runtime/deps.ts'
import { type PaymentRow, paymentsOf } from './payment-rows.ts'
import type { RefundJob } from './refund-job.ts'
import type { ProviderSet, Providers } from './ways/providers.ts'

export type RefundTo = 'provider' | 'credit' | 'none'

export type RefundDeps = Pick<Deps, 'clock' | 'jobs'> & {
  providers: Providers
  refund: RefundJob
}

/**
 * Cancels one order and sends its money where the operator chose. The part that the provider cannot
 * send back becomes credit; if that is all of it, this fails. The caller must hold the order's
 * lock, and `lockCredit()`. Returns the amount sent back.
 */
export async function refundOrder(
  tx: Db,
  order: OrderRow,
  refund: RefundTo,
  deps: RefundDeps,
): Promise<{ order: OrderRow; cents: Cents }> {
  if (order.kind === 'top-up' && order.status === 'active' && refund !== 'provider') {
    throw new AppError('INVALID_STATE', 'A top-up is credit already. It can only be sent back.')
  }
  const now = deps.clock.now()
  const about = { userId: order.userId, orderId: order.id, at: now }
  if (order.status === 'active' && refund !== 'none') {
    const cents = await takeable(tx, order)
    const from = accountOf(order)
    await transfer(tx, { ...about, from, to: 'held', cents, reason: 'taken back' })
  }
  const held = await heldIn(tx, 'held', order.id)
  if (refund === 'none' && held > 0) {
    await transfer(tx, { ...about, from: 'held', to: 'earned', cents: held, reason: 'kept' })
  }
  const back = refund === 'provider' ? await sendBack(tx, order, held, deps) : 0
  const row = await releaseOrder(tx, order, { now, by: 'admin', keepHeld: back })
  return { order: row, cents: refund === 'none' ? 0 : held }
}

/** What could be taken back of a delivered order. Credit that is spent is gone. */
export async function takeable(tx: Db, order: OrderRow): Promise<Cents> {
  const delivered = await heldIn(tx, accountOf(order), order.id)
  if (order.kind !== 'top-up' || order.userId === null) return delivered
  return Math.max(0, Math.min(delivered, await creditOf(tx, order.userId)))
}

/** The payments, and the amount of each, that their providers can send back. */
export function returnable(
  rows: readonly PaymentRow[],
  providers: Pick<ProviderSet, 'named'>,
): { payment: PaymentRow; cents: Cents }[] {
  return rows.flatMap((payment) => {
    const cents = payment.receivedCents - payment.refundedCents - payment.lostCents
    return cents > 0 && providers.named(payment.provider)?.refund ? [{ payment, cents }] : []
  })
}

const nothingBack = ({ kind }: OrderRow): string =>
  kind === 'top-up'
    ? 'Nothing of this top-up can be sent back: it is spent, or the provider sends nothing back.'
    : 'Nothing of this order can be sent back. Choose credit.'

async function sendBack(tx: Db, order: OrderRow, held: Cents, deps: RefundDeps): Promise<Cents> {
  const options = returnable(await paymentsOf(tx, [order.id]), await deps.providers.now(tx))
  const isSpent = order.kind === 'top-up' && held === 0
  if (options.length === 0 || isSpent) {
    throw new AppError('INVALID_STATE', nothingBack(order))
  }
  let left = held
  for (const { payment, cents: most } of options) {
    const cents = Math.min(left, most)
    if (cents === 0) continue
    await deps.jobs.enqueue(tx, deps.refund, {
      orderId: order.id,
      paymentId: payment.id,
      cents,
      before: payment.refundedCents,
    })
    left -= cents
  }
  return held - left
}
