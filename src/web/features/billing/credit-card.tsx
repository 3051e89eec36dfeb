import { Link } from 'wouter'
import type { ClientOrder } from '#shared/api/shop/orders.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { priceText } from '../../lib/format/price.ts'
import { orderPath } from '../../lib/paths/paths.ts'
import { Card } from '../../ui/layout/card.tsx'

type CreditCardProps = { credit: string; orders: readonly ClientOrder[] }

export function CreditCard({ credit, orders }: CreditCardProps) {
  const reserved = orders.filter((order) => order.status === 'pending' && !isNothing(order.credit))
  return (
    <Card className="px-5 py-4" aria-label="Credit">
      <h3 className="text-ink-soft text-sm">Credit</h3>
      <p className="tabular mt-2 font-semibold text-xl">{priceText(credit)}</p>
      <p className="mt-2 text-ink-soft">
        {isNothing(credit)
          ? 'Overpayments and refunds appear here.'
          : 'It pays your next order or renewal automatically.'}
      </p>
      {reserved.map((order) => (
        <p key={order.id} className="mt-2 text-ink-soft">
          {priceText(order.credit)} is set aside for{' '}
          <Link href={orderPath(order.id)} className="text-link">
            order {order.id}
          </Link>
          . You get it back if you cancel.
        </p>
      ))}
    </Card>
  )
}
