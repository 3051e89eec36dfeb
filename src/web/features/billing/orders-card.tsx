import { ReceiptText } from 'lucide-react'
import { Link } from 'wouter'
import type { ClientOrder } from '#shared/api/orders.ts'
import { KIND_WORDS, orderTitle } from '../../lib/order-words.ts'
import { priceText } from '../../lib/price.ts'
import { calendarDay } from '../../lib/time.ts'
import { orderPath, paths } from '../../paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { OrderBadge } from '../../widgets/order-badge.tsx'

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
