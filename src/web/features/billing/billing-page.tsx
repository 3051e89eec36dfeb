import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { Billing } from '#shared/api/shop/billing.ts'
import { query } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { tellingPayments } from './billing-rules.ts'
import { CreditCard } from './credit-card.tsx'
import { DueCard } from './due-card.tsx'
import { OpenOrders } from './open-orders.tsx'
import { OrdersCard } from './orders-card.tsx'
import { PaymentsCard } from './payments-card.tsx'

const POLL_MS = 30_000

const CreditRenewals = lazyPage(() => import('./credit-renewals.tsx'), 'CreditRenewals')
const AutomaticRenewals = lazyPage(() => import('./automatic-renewals.tsx'), 'AutomaticRenewals')

/** Everything about a client's money: what is due, what was ordered, what was paid. */
export function BillingPage() {
  const billing = useQuery({
    ...query(api.billing.overview),
    staleTime: 0,
    refetchInterval: POLL_MS,
  })
  const { isSimulated = false } = useMe()
  return (
    <div className="space-y-4">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-4">
        <h2 className="text-lg">Orders, payments and renewals</h2>
        <QueryFreshness query={billing} />
      </div>
      {isSimulated && <Note>Paying and cancelling is off while simulating.</Note>}
      <ListState
        query={billing}
        failure="Your orders and payments could not be loaded"
        skeleton={<Skeletons />}
      >
        {(data) => <Sections billing={data} isSimulated={isSimulated} />}
      </ListState>
    </div>
  )
}

function Sections({ billing, isSimulated }: { billing: Billing; isSimulated: boolean }) {
  const settings = useQuery(query(api.system.settings))
  const takesCards = settings.data?.paymentWays.includes('card') ?? false
  const open = billing.orders.filter(({ status }) => status === 'pending')
  return (
    <div className="space-y-6">
      <div className="grid items-stretch gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <CreditCard billing={billing} isSimulated={isSimulated} />
        <DueCard due={billing.due} isSimulated={isSimulated} />
      </div>
      {open.length > 0 && <OpenOrders orders={open} isSimulated={isSimulated} />}
      <OrdersCard orders={billing.orders} />
      <PaymentsCard payments={tellingPayments(billing)} orders={billing.orders} />
      <Suspense>
        <CreditRenewals billing={billing} isSimulated={isSimulated} />
      </Suspense>
      {(takesCards || billing.subscriptions.length > 0) && (
        <Suspense>
          <AutomaticRenewals
            subscriptions={billing.subscriptions}
            takesCards={takesCards}
            isSimulated={isSimulated}
          />
        </Suspense>
      )}
    </div>
  )
}

function Skeletons() {
  return (
    <div className="space-y-6">
      <div className="grid gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <Skeleton className="h-36" />
        <Skeleton className="h-36" />
      </div>
      <Skeleton className="h-64" />
    </div>
  )
}
