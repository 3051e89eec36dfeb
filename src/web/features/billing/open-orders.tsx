import { Suspense, useState } from 'react'
import { Link } from 'wouter'
import type { ClientOrder } from '#shared/api/shop/orders.ts'
import { orderTitle } from '../../lib/billing/order-words.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { priceText } from '../../lib/format/price.ts'
import { orderPath } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { useServerNow } from '../../widgets/time/use-server-now.ts'
import { PayTimer } from './order/pay-timer.tsx'
import { usePay } from './order/use-pay.ts'

const CancelOrderDialog = lazyPage(
  () => import('./order/cancel-order-dialog.tsx'),
  'CancelOrderDialog',
)

type OpenOrdersProps = { orders: readonly ClientOrder[]; isSimulated: boolean }

/** Orders that wait to be paid. */
export function OpenOrders({ orders, isSimulated }: OpenOrdersProps) {
  const now = useServerNow(1000)
  return (
    <Card>
      <CardHeader
        title={`Open orders (${orders.length})`}
        description="Reserved for you until they are paid, or until their time is over."
      />
      <ul className="divide-y">
        {orders.map((order) => (
          <OpenOrder key={order.id} order={order} now={now} isSimulated={isSimulated} />
        ))}
      </ul>
    </Card>
  )
}

type OpenOrderProps = { order: ClientOrder; now: number; isSimulated: boolean }

function OpenOrder({ order, now, isSimulated }: OpenOrderProps) {
  const pay = usePay(order.id)
  const [isAsking, setAsking] = useState(false)
  const title = orderTitle(order)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-5 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <Link href={orderPath(order.id)} className="text-link break-words font-semibold">
          {title}
        </Link>
        <p className="text-ink-soft">
          Order {order.id}
          {order.payBy && (
            <>
              {', '}
              <PayTimer until={Date.parse(order.payBy)} now={now} />
            </>
          )}
        </p>
      </div>
      <div className="flex items-center justify-between gap-2 max-sm:w-full">
        <span className="tabular mr-4 flex-1 font-semibold">{priceText(order.amount)}</span>
        <Button
          variant="ghost"
          aria-label={`Cancel order ${order.id}`}
          disabled={isSimulated}
          onClick={() => setAsking(true)}
        >
          Cancel
        </Button>
        <Button
          variant="primary"
          aria-label={`Pay order ${order.id}`}
          disabled={isSimulated}
          isPending={pay.isPending}
          onClick={() => void pay.run()}
        >
          Pay
        </Button>
      </div>
      {isAsking && (
        <Suspense>
          <CancelOrderDialog order={order} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </li>
  )
}
