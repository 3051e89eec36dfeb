import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import { isNothing } from '../../../lib/billing/credit.ts'

/**
 * The stage of an order, for its client:
 * - `paying`: money is expected, and a way to pay is open; a part of it may have arrived
 * - `confirming`: all of it was sent, or the time to send the rest is over
 * - `lapsed`: not paid, and no way to pay is open; it may be opened again
 * - `waiting`: paid, and an operator has to deliver it
 */
export type OrderStage =
  | 'paying'
  | 'confirming'
  | 'lapsed'
  | 'waiting'
  | 'making'
  | 'done'
  | 'cancelled'

export function stageOf(details: ClientOrderDetails, now: number): OrderStage {
  const { order, checkout } = details
  switch (order.status) {
    case 'pending':
      if (isPayable(checkout) && isInTime(details, now)) return 'paying'
      return checkout?.state === 'confirming' ? 'confirming' : 'lapsed'
    case 'paid':
      return 'waiting'
    case 'provisioning':
      return 'making'
    case 'active':
      return 'done'
    case 'cancelled':
      return 'cancelled'
  }
}

/** Something is still due: the address stays on the page until then. */
const isPayable = (checkout: ClientOrderDetails['checkout']): boolean =>
  checkout?.state === 'pending' || (checkout?.state === 'confirming' && !isNothing(checkout.left))

/** Paid to the operator directly, without a provider. */
export const isDirect = ({ checkout }: Pick<ClientOrderDetails, 'checkout'>): boolean =>
  checkout?.provider === 'manual'

/** Until when the order can be paid; a direct payment has until the order itself ends. */
export function payUntil(details: ClientOrderDetails): number | undefined {
  const { order, checkout } = details
  const until = isDirect(details) ? order.payBy : (checkout?.expiresAt ?? order.payBy)
  return until === null ? undefined : Date.parse(until)
}

/** An address that is no longer valid is never shown. */
const isInTime = (details: ClientOrderDetails, now: number): boolean =>
  (payUntil(details) ?? Number.POSITIVE_INFINITY) > now

/** The page polls as long as the order can change by itself. */
export const isMoving = ({ order }: Pick<ClientOrderDetails, 'order'>): boolean =>
  order.status !== 'active' && order.status !== 'cancelled'

/** Once money has arrived, or nothing was due, there is a receipt. */
export const hasReceipt = ({
  order,
  payments,
  receipts,
}: Pick<ClientOrderDetails, 'order' | 'payments' | 'receipts'>) =>
  receipts.length > 0 ||
  order.status === 'paid' ||
  order.status === 'provisioning' ||
  order.status === 'active' ||
  payments.some(({ received }) => !isNothing(received))
