import type { PaymentState } from '#shared/api/money/payments.ts'
import type { ClientOrder, OrderStatus } from '#shared/api/shop/orders.ts'
import { ORDER_WORDS } from '../../lib/billing/order-words.ts'
import { PAYMENT_WORDS } from '../../lib/billing/payment-words.ts'
import { Badge, type Tone } from '../../ui/indicator/badge.tsx'

const ORDER_TONES: Record<OrderStatus, Tone> = {
  pending: 'warn',
  paid: 'warn',
  provisioning: 'warn',
  active: 'good',
  cancelled: 'idle',
}

/** A delivered order is as active as its server. */
const OVER: Partial<Record<string, { word: string; tone: Tone }>> = {
  ended: { word: 'Ended', tone: 'idle' },
  expired: { word: 'Expired', tone: 'warn' },
}

export function OrderBadge({ order }: { order: Pick<ClientOrder, 'status' | 'server'> }) {
  const { status, server } = order
  const over = OVER[server ?? '']
  if (over) {
    return (
      <Badge tone={over.tone} hasMark>
        {over.word}
      </Badge>
    )
  }
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
