import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, SearchX } from 'lucide-react'
import { Suspense } from 'react'
import { Link, useParams } from 'wouter'
import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import { ApiError } from '../../../api/api-error.ts'
import { query } from '../../../api/query.ts'
import { useMe } from '../../../api/session.ts'
import { api } from '../../../api/table.ts'
import { couponWords, orderTitle } from '../../../lib/billing/order-words.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { paths } from '../../../lib/paths/paths.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { buttonClass } from '../../../ui/form/button.tsx'
import { Skeleton } from '../../../ui/indicator/skeleton.tsx'
import { Card, CardBody, CardHeader } from '../../../ui/layout/card.tsx'
import { OrderBadge } from '../../../widgets/billing/order-badge.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { Moments } from '../../../widgets/time/moments.tsx'
import { QueryFreshness } from '../../../widgets/time/query-freshness.tsx'
import { useServerNow } from '../../../widgets/time/use-server-now.ts'
import { hasReceipt, isMoving, stageOf } from './order-stage.ts'
import { PayPanel } from './pay-panel.tsx'
import { Receipts } from './receipts.tsx'
import { StagePanel } from './stage-panel.tsx'

const RecoveryOffer = lazyPage(
  () => import('../../../widgets/ways-in/recovery-offer.tsx'),
  'RecoveryOffer',
)

const POLL_MS = 5_000

const isAbsent = (error: unknown) =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)

/** One order: how to pay it while it is unpaid, its receipt once it is paid. */
export function OrderPage() {
  const id = Number(useParams().id)
  const details = useQuery({
    ...query(api.billing.details, { params: { id } }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? POLL_MS : false),
  })
  return (
    <div className="mx-auto max-w-4xl space-y-4">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-3 print:hidden">
        <Link
          href={paths.billing}
          className={`${buttonClass({ variant: 'ghost', size: 'sm' })} -ml-3`}
        >
          <ArrowLeft aria-hidden="true" className="size-4" />
          Back to Billing
        </Link>
        <QueryFreshness query={details} />
      </div>
      {isAbsent(details.error) ? (
        <NoSuchOrder />
      ) : (
        <ListState
          query={details}
          failure="The order could not be loaded"
          skeleton={<Skeleton className="h-96" />}
        >
          {(data) => <OrderView details={data} />}
        </ListState>
      )}
    </div>
  )
}

function OrderView({ details }: { details: ClientOrderDetails }) {
  const { isSimulated = false } = useMe()
  const { order } = details
  const now = useServerNow(1000)
  const stage = stageOf(details, now)
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3 print:hidden">
        <h2 className="min-w-0 break-words text-lg">
          {orderTitle(order)}
          {order.coupon && <span className="block text-good text-sm">{couponWords(order)}</span>}
        </h2>
        <OrderBadge order={order} />
      </div>
      {stage === 'paying' ? (
        <PayPanel details={details} now={now} isSimulated={isSimulated} />
      ) : (
        <StagePanel details={details} stage={stage} isSimulated={isSimulated} />
      )}
      {hasReceipt(details) && !isSimulated && (
        <Suspense>
          <RecoveryOffer />
        </Suspense>
      )}
      {hasReceipt(details) && <Receipts details={details} />}
      <Card className="print:hidden">
        <CardHeader title="History" />
        <CardBody>
          <Moments events={details.timeline} />
        </CardBody>
      </Card>
    </div>
  )
}

function NoSuchOrder() {
  return (
    <Card>
      <EmptyState
        icon={SearchX}
        title="Order not found"
        action={
          <Link href={paths.billing} className={buttonClass({ variant: 'primary' })}>
            See your orders
          </Link>
        }
      >
        There is no order of yours with this number.
      </EmptyState>
    </Card>
  )
}
