import { TriangleAlert } from 'lucide-react'
import type { Order } from '#shared/api/shop/orders.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { KIND_WORDS } from '../../lib/billing/order-words.ts'
import { priceText } from '../../lib/format/price.ts'
import type { Column } from '../../ui/layout/table.tsx'
import { OrderBadge } from '../../widgets/billing/order-badge.tsx'
import { useNodeInMany } from '../../widgets/cluster/use-places.ts'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { OrderActions } from './order-actions.tsx'

export const orderColumns = (onOpen: (order: Order) => void): readonly Column<Order>[] => [
  {
    title: 'Order',
    width: 'md:w-[30%]',
    isBare: true,
    cell: (order) => <OrderCell order={order} onOpen={() => onOpen(order)} />,
  },
  { title: 'Client', width: 'md:w-[15%]', cell: ({ clientName }) => <Client name={clientName} /> },
  { title: 'OS', width: 'md:w-[12%]', cell: ({ osType }) => osType ?? '–' },
  {
    title: 'Amount',
    width: 'md:w-[9%]',
    isEnd: true,
    cell: ({ amount, credit }) => (
      <span className="tabular whitespace-nowrap">
        {priceText(amount)}
        {!isNothing(credit) && (
          <span className="block text-ink-soft text-xs">{priceText(credit)} credit</span>
        )}
      </span>
    ),
  },
  { title: 'Status', width: 'md:w-[12%]', cell: (order) => <Status order={order} /> },
  {
    title: 'Ordered',
    width: 'md:w-[10%]',
    cell: ({ createdAt }) => (
      <span className="whitespace-nowrap">
        <RelativeTime at={createdAt} />
      </span>
    ),
  },
  { title: 'Actions', isEnd: true, isBare: true, cell: (order) => <OrderActions order={order} /> },
]

function OrderCell({ order, onOpen }: { order: Order; onOpen: () => void }) {
  const place = useNodeInMany()(order.assignedNodeId)
  return (
    <>
      <button
        type="button"
        aria-label={`Details of order ${order.id}, ${order.planName}`}
        className="text-link break-words text-left font-semibold"
        onClick={onOpen}
      >
        {order.planName}
      </button>
      <span className="block text-ink-soft text-xs">
        No. {order.id}, {KIND_WORDS[order.kind]}
        {order.assignedVmId !== null && `, VM ${order.assignedVmId}${place ? ` on ${place}` : ''}`}
      </span>
      {order.failure && (
        <span className="mt-1 flex max-w-md items-start gap-1.5 text-bad text-xs">
          <TriangleAlert aria-hidden="true" className="mt-px size-3.5 shrink-0" />
          {order.failure}
        </span>
      )}
    </>
  )
}

function Status({ order }: { order: Order }) {
  return (
    <>
      <OrderBadge order={order} />
      {order.isDisputed && <span className="mt-0.5 block text-bad text-xs">Payment disputed</span>}
    </>
  )
}

function Client({ name }: { name: string | null }) {
  if (name === null) return <span className="text-ink-soft">Account deleted</span>
  return <span className="break-words">{name}</span>
}
