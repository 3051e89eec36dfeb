import { ReceiptText } from 'lucide-react'
import { Link } from 'wouter'
import type { ClientOrder } from '#shared/api/shop/orders.ts'
import { KIND_WORDS, orderTitle } from '../../lib/billing/order-words.ts'
import { priceText } from '../../lib/format/price.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { orderPath, paths } from '../../lib/paths/paths.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { type Column, Table } from '../../ui/layout/table.tsx'
import { OrderBadge } from '../../widgets/billing/order-badge.tsx'

export function OrdersCard({ orders }: { orders: readonly ClientOrder[] }) {
  return (
    <Card>
      <CardHeader title={`All orders (${orders.length})`} />
      {orders.length === 0 ? (
        <EmptyState
          icon={ReceiptText}
          title="No orders yet"
          action={
            <Link href={paths.pricing} className={buttonClass({ variant: 'primary' })}>
              See the plans
            </Link>
          }
        >
          What you order appears here, with its receipt.
        </EmptyState>
      ) : (
        <Table label="All orders" columns={COLUMNS} rows={orders} rowKey={({ id }) => id} />
      )}
    </Card>
  )
}

const COLUMNS: readonly Column<ClientOrder>[] = [
  {
    title: 'Order',
    isBare: true,
    cell: (order) => (
      <>
        <Link href={orderPath(order.id)} className="text-link break-words font-semibold">
          {orderTitle(order)}
        </Link>
        <span className="block text-ink-soft text-xs">
          No. {order.id}, {KIND_WORDS[order.kind]}
          {order.osType && `, ${order.osType}`}
        </span>
      </>
    ),
  },
  {
    title: 'Ordered',
    cell: ({ createdAt }) => (
      <time dateTime={createdAt} className="whitespace-nowrap">
        {calendarDay(new Date(createdAt))}
      </time>
    ),
  },
  { title: 'Status', cell: (order) => <OrderBadge order={order} /> },
  {
    title: 'Amount',
    isEnd: true,
    cell: ({ amount }) => <span className="tabular">{priceText(amount)}</span>,
  },
]
