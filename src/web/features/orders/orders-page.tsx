import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { Order } from '#shared/api/shop/orders.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Table } from '../../ui/layout/table.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { matcher } from '../../widgets/list/matcher.ts'
import { SearchField } from '../../widgets/list/search-field.tsx'
import { useShow } from '../../widgets/list/show-filter.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { orderColumns } from './order-columns.tsx'
import { type Section, sectionsOf } from './order-sections.ts'

const POLL_MS = 30_000

const OrderDetailsDialog = lazyPage(
  () => import('./order-details-dialog.tsx'),
  'OrderDetailsDialog',
)

const SHOWN = {
  paid: 'Only paid ones',
  unpaid: 'Only unpaid ones',
  disputed: 'Only disputed ones',
}

/** The rows that a filter shows, as "Needs attention" counts them. */
const PASSES: Record<keyof typeof SHOWN, (order: Order) => boolean> = {
  paid: ({ status }) => status === 'paid',
  unpaid: ({ status }) => status === 'pending',
  disputed: ({ isDisputed }) => isDisputed,
}

/** Clients' orders; those that an operator has to act on come first. */
export function OrdersPage() {
  const orders = useQuery({ ...query(api.orders.list), staleTime: 0, refetchInterval: POLL_MS })
  const [text, setText] = useSearchParam('q')
  const [shown, setShown] = useSearchParam('order')
  const { show, chip } = useShow(SHOWN)
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <SearchField
          label="Find an order"
          placeholder="Number, client, plan or system"
          value={text}
          onChange={setText}
        />
        {chip}
        <QueryFreshness query={orders} />
      </div>
      <ListState query={orders} failure="The orders could not be loaded">
        {(list) => (
          <Sections
            orders={show ? list.filter(PASSES[show]) : list}
            text={text}
            onOpen={(order) => setShown(String(order.id))}
          />
        )}
      </ListState>
      {Number(shown) > 0 && (
        <Suspense>
          <OrderDetailsDialog id={Number(shown)} onClose={() => setShown('')} />
        </Suspense>
      )}
    </div>
  )
}

type SectionsProps = { orders: readonly Order[]; text: string; onOpen: (order: Order) => void }

function Sections({ orders, text, onOpen }: SectionsProps) {
  const isMatch = matcher(text)
  const found = orders.filter(({ id, clientName, planName, osType }) =>
    isMatch(String(id), clientName, planName, osType),
  )
  return (
    <div className="space-y-6">
      {sectionsOf(found).map((section) => (
        <SectionCard
          key={section.title}
          section={section}
          isFiltered={text !== ''}
          onOpen={onOpen}
        />
      ))}
    </div>
  )
}

type SectionCardProps = {
  section: Section
  isFiltered: boolean
  onOpen: (order: Order) => void
}

function SectionCard({ section: { title, empty, orders }, isFiltered, onOpen }: SectionCardProps) {
  return (
    <Card>
      <CardHeader title={`${title} (${orders.length})`} />
      {orders.length === 0 ? (
        <p className="px-5 py-4 text-ink-soft">{isFiltered ? 'No order matches.' : empty}</p>
      ) : (
        <Table label={title} columns={orderColumns(onOpen)} rows={orders} rowKey={({ id }) => id} />
      )}
    </Card>
  )
}
