import type { OrderStatus } from '#shared/api/orders.ts'
import type { PaymentState } from '#shared/api/payments.ts'
import { ORDER_WORDS } from '../lib/order-words.ts'
import { PAYMENT_WORDS } from '../lib/payment-words.ts'
import { Badge, type Tone } from '../ui/badge.tsx'

const ORDER_TONES: Record<OrderStatus, Tone> = {
  pending: 'warn',
  paid: 'warn',
  provisioning: 'warn',
  active: 'good',
  cancelled: 'idle',
}

export function OrderBadge({ status }: { status: OrderStatus }) {
  return (
    <Badge tone={ORDER_TONES[status]} hasMark>
      {ORDER_WORDS[status]}
    </Badge>
  )
}

const PAYMENT_TONES: Record<PaymentState, Tone> = {
  pending: 'warn',
  confirming: 'warn',
  paid: 'good',
  expired: 'idle',
  failed: 'bad',
  refunded: 'idle',
}

export function PaymentBadge({ state }: { state: PaymentState }) {
  return (
    <Badge tone={PAYMENT_TONES[state]} hasMark>
      {PAYMENT_WORDS[state]}
    </Badge>
  )
}
