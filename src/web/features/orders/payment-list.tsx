import type { Payment } from '#shared/api/money/payments.ts'
import { paymentRemark, providerWords } from '../../lib/billing/payment-words.ts'
import { priceText } from '../../lib/format/price.ts'
import { exactTime } from '../../lib/format/time.ts'
import { PaymentBadge } from '../../widgets/billing/order-badge.tsx'

/** What was requested for an order, and what arrived. */
export function PaymentList({ payments }: { payments: readonly Payment[] }) {
  if (payments.length === 0) return <p className="text-ink-soft">No payment was opened for it.</p>
  return (
    <ul className="divide-y border-y">
      {payments.map((payment) => (
        <li key={payment.id} className="flex items-start justify-between gap-4 py-3">
          <div className="min-w-0">
            <p>{providerWords(payment.provider)}</p>
            <p className="text-ink-soft text-xs">{exactTime(new Date(payment.createdAt))}</p>
            {paymentRemark(payment) && (
              <p className="mt-1 text-ink-soft text-xs">{paymentRemark(payment)}</p>
            )}
          </div>
          <div className="shrink-0 text-right">
            <PaymentBadge state={payment.status} />
            <p className="tabular mt-1 text-xs">
              {priceText(payment.received)} of {priceText(payment.amount)}
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}
