import { Link } from 'wouter'
import type { PaymentState } from '#shared/api/money/payments.ts'
import type { ListedPayment } from '#shared/api/shop/books.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { couponWords, orderTitle } from '../../lib/billing/order-words.ts'
import { PAYMENT_WORDS, paymentRemark, providerWords } from '../../lib/billing/payment-words.ts'
import { priceText } from '../../lib/format/price.ts'
import { paths } from '../../lib/paths/paths.ts'
import { Badge, type Tone } from '../../ui/indicator/badge.tsx'
import type { Column } from '../../ui/layout/table.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'

const TONES: Record<PaymentState, Tone> = {
  pending: 'warn',
  confirming: 'warn',
  paid: 'good',
  expired: 'idle',
  failed: 'bad',
  refunded: 'idle',
}

export const PAYMENT_COLUMNS: readonly Column<ListedPayment>[] = [
  {
    title: 'Begun',
    cell: ({ createdAt }) => (
      <span className="whitespace-nowrap text-ink-soft">
        <RelativeTime at={createdAt} />
      </span>
    ),
  },
  {
    title: 'Order',
    cell: ({ orderId, orderKind: kind, planName }) => (
      <>
        <Link href={`${paths.orders}?order=${orderId}`} className="text-link">
          Order {orderId}
        </Link>
        <span className="block break-words text-ink-soft text-xs">
          {orderTitle({ kind, planName })}
        </span>
      </>
    ),
  },
  {
    title: 'Provider',
    cell: ({ provider, reference }) => (
      <>
        {providerWords(provider)}
        <span className="block break-all font-mono text-ink-soft text-xs">{reference}</span>
      </>
    ),
  },
  {
    title: 'State',
    cell: (payment) => (
      <>
        <Badge tone={TONES[payment.status]}>{PAYMENT_WORDS[payment.status]}</Badge>
        <span className="block text-ink-soft text-xs">
          {[
            paymentRemark(payment),
            isNothing(payment.lost) ? '' : `${priceText(payment.lost)} was lost to a dispute.`,
          ]
            .filter(Boolean)
            .join(' ')}
        </span>
      </>
    ),
  },
  {
    title: 'Amount',
    isEnd: true,
    cell: ({ amount, coupon, discount }) => (
      <>
        <span className="tabular">{priceText(amount)}</span>
        <span className="block text-ink-soft text-xs">{couponWords({ coupon, discount })}</span>
      </>
    ),
  },
]
