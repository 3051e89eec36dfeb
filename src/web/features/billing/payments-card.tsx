import { Link } from 'wouter'
import type { Payment } from '#shared/api/money/payments.ts'
import type { ClientOrder } from '#shared/api/shop/orders.ts'
import { orderTitle } from '../../lib/billing/order-words.ts'
import { paymentRemark, providerWords } from '../../lib/billing/payment-words.ts'
import { priceText } from '../../lib/format/price.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { orderPath } from '../../lib/paths/paths.ts'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { type Column, Table } from '../../ui/layout/table.tsx'
import { PaymentBadge } from '../../widgets/billing/order-badge.tsx'

type PaymentsCardProps = { payments: readonly Payment[]; orders: readonly ClientOrder[] }

export function PaymentsCard({ payments, orders }: PaymentsCardProps) {
  return (
    <Card>
      <CardHeader title={`Payments (${payments.length})`} />
      {payments.length === 0 ? (
        <p className="px-5 py-4 text-ink-soft">
          No payments yet. Credit that was used is shown on its order.
        </p>
      ) : (
        <Table
          label="Payments"
          columns={columns(new Map(orders.map((order) => [order.id, order])))}
          rows={payments}
          rowKey={({ id }) => id}
        />
      )}
    </Card>
  )
}

const columns = (orders: ReadonlyMap<number, ClientOrder>): readonly Column<Payment>[] => [
  {
    title: 'For',
    isBare: true,
    cell: (payment) => <For payment={payment} order={orders.get(payment.orderId)} />,
  },
  {
    title: 'Date',
    cell: ({ createdAt }) => (
      <time dateTime={createdAt} className="whitespace-nowrap">
        {calendarDay(new Date(createdAt))}
      </time>
    ),
  },
  { title: 'How', cell: ({ provider }) => providerWords(provider) },
  { title: 'Status', cell: ({ status }) => <PaymentBadge state={status} /> },
  { title: 'Invoiced', isEnd: true, cell: ({ amount }) => <Sum amount={amount} /> },
  { title: 'Paid', isEnd: true, cell: ({ received }) => <Sum amount={received} /> },
]

function For({ payment, order }: { payment: Payment; order: ClientOrder | undefined }) {
  const remark = paymentRemark(payment)
  return (
    <>
      <Link href={orderPath(payment.orderId)} className="text-link break-words font-semibold">
        {order ? orderTitle(order) : `Order ${payment.orderId}`}
      </Link>
      {remark && <span className="mt-0.5 block max-w-md text-ink-soft text-xs">{remark}</span>}
    </>
  )
}

const Sum = ({ amount }: { amount: string }) => <span className="tabular">{priceText(amount)}</span>
