import type { OrderKind, OrderStatus } from '#shared/api/shop/orders.ts'
import { priceText } from '../format/price.ts'

export const ORDER_WORDS: Record<OrderStatus, string> = {
  pending: 'Pending',
  paid: 'Paid',
  provisioning: 'Provisioning',
  active: 'Active',
  cancelled: 'Cancelled',
}

export const KIND_WORDS: Record<OrderKind, string> = {
  purchase: 'Server',
  trial: 'Free trial',
  renewal: 'Renewal',
  package: 'Plan',
  admin: 'Given by an administrator',
  'top-up': 'Top-up',
  change: 'Package change',
}

/** What was ordered, in one line. */
export function orderTitle({ kind, planName }: { kind: OrderKind; planName: string }): string {
  if (kind === 'renewal') return `Renewal of ${planName}`
  return kind === 'change' ? `Change to ${planName}` : planName
}

/** "$2.00 off with coupon SPRING-26"; undefined where the order has none. */
export const couponWords = (order: { coupon: string | null; discount: string }) =>
  order.coupon === null ? undefined : `${priceText(order.discount)} off with coupon ${order.coupon}`
