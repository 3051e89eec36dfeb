import { useQuery } from '@tanstack/react-query'
import { Receipt } from 'lucide-react'
import { useSearchParams } from 'wouter'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { setValues, writeView } from '../../lib/paths/view-values.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { Table } from '../../ui/layout/table.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { OlderPages } from '../../widgets/list/older-pages.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { PAYMENT_COLUMNS } from './payment-columns.tsx'
import { PaymentFilters } from './payment-filters.tsx'
import { type PaymentView, readPaymentView } from './payment-view.ts'

/** Every payment, newest first. Filter and page are in the address. */
export function PaymentList() {
  const [search, setSearch] = useSearchParams()
  const view = readPaymentView(search)
  const show = (next: Partial<PaymentView>) =>
    setSearch((now) => writeView(now, { ...view, ...next }), { replace: true })
  const list = useQuery({
    ...query(api.books.payments, { query: setValues(view) }),
    // The list stays while its next page is read.
    placeholderData: (previous) => previous,
    refetchOnMount: 'always',
  })
  return (
    <Card>
      <CardHeader
        title="Payments"
        description="What clients began to pay, and what became of it."
        action={<QueryFreshness query={list} />}
      />
      <PaymentFilters
        view={view}
        providers={list.data?.providers ?? []}
        onChange={(next) => show({ ...next, before: undefined })}
      />
      <ListState query={list} failure="The payments could not be loaded">
        {({ payments, next }) => (
          <>
            {payments.length === 0 ? (
              <EmptyState icon={Receipt} title="No payments">
                No payment matches this filter.
              </EmptyState>
            ) : (
              <Table
                label="Payments"
                columns={PAYMENT_COLUMNS}
                rows={payments}
                rowKey={({ id }) => id}
              />
            )}
            <OlderPages
              label="Pages of the payments"
              isFirst={view.before === undefined}
              older={next}
              onShow={(before) => show({ before })}
            />
          </>
        )}
      </ListState>
    </Card>
  )
}
