import { AppError } from '#shared/errors.ts'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { heldIn, transfer } from '../ledger/ledger.ts'
import type { OrderRow } from '../orders/orders.ts'
import { releaseOrder } from '../orders/release.ts'
import type { Deps } from '../runtime/deps.ts'
import { type PaymentRow, paymentsOf } from './payment-rows.ts'
import type { PaymentProvider } from './port/payment-provider.ts'
import type { RefundJob } from './refund-job.ts'

export type RefundTo = 'provider' | 'credit' | 'none'

export type RefundDeps = Pick<Deps, 'clock' | 'jobs'> & {
  provider: PaymentProvider
  refund: RefundJob
}

/**
 * Cancels one order and sends its money where the operator chose. The part that the provider cannot
 * send back becomes credit; if that is all of it, this fails. The caller must hold the order's
 * lock. Returns the amount sent back.
 */
export async function refundOrder(
  tx: Db,
  order: OrderRow,
  refund: RefundTo,
  deps: RefundDeps,
): Promise<{ order: OrderRow; cents: Cents }> {
  const now = deps.clock.now()
  const about = { userId: order.userId, orderId: order.id, at: now }
  if (order.status === 'active' && refund !== 'none') {
    const cents = await heldIn(tx, 'earned', order.id)
    await transfer(tx, { ...about, from: 'earned', to: 'held', cents, reason: 'taken back' })
  }
  const held = await heldIn(tx, 'held', order.id)
  if (refund === 'none' && held > 0) {
    await transfer(tx, { ...about, from: 'held', to: 'earned', cents: held, reason: 'kept' })
  }
  const back = refund === 'provider' ? await sendBack(tx, order, held, deps) : 0
  const row = await releaseOrder(tx, order, { now, by: 'admin', keepHeld: back })
  return { order: row, cents: refund === 'none' ? 0 : held }
}

/** The payments, and the amount of each, that the configured provider can send back. */
export function returnable(
  rows: readonly PaymentRow[],
  { provider }: Pick<RefundDeps, 'provider'>,
): { payment: PaymentRow; cents: Cents }[] {
  const { name, refund } = provider
  if (!refund) return []
  return rows.flatMap((payment) => {
    const cents = payment.receivedCents - payment.refundedCents - payment.lostCents
    return payment.provider === name && cents > 0 ? [{ payment, cents }] : []
  })
}

async function sendBack(tx: Db, order: OrderRow, held: Cents, deps: RefundDeps): Promise<Cents> {
  const options = returnable(await paymentsOf(tx, [order.id]), deps)
  if (options.length === 0) {
    throw new AppError('INVALID_STATE', 'Nothing of this order can be sent back. Choose credit.')
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
