import clsx from 'clsx'
import { PackageOpen } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PublicPackage } from '#shared/api/shop/packages.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorState } from '../../ui/feedback/error-state.tsx'
import { Loading, Skeleton } from '../../ui/indicator/skeleton.tsx'
import { PlanCard } from './plan-card.tsx'
import type { usePlans } from './use-plans.ts'

type PlanGridProps = {
  state: ReturnType<typeof usePlans>
  heading: 'h2' | 'h3'
  limit?: number
  chosen?: string | null
  action?: (plan: PublicPackage) => ReactNode
}

/** The plans, or why there are none. */
export function PlanGrid({ state, heading, limit, chosen, action }: PlanGridProps) {
  const { plans, isPending, hasFailed, isFetching, retry } = state
  if (isPending) return <PlanSkeletons />
  if (hasFailed && plans.length === 0) {
    return (
      <ErrorState title="The plans could not be loaded" onRetry={retry} isRetrying={isFetching}>
        Something went wrong on our side. Your account and servers are not affected.
      </ErrorState>
    )
  }
  if (plans.length === 0) {
    return (
      <EmptyState icon={PackageOpen} title="No plans are on sale right now">
        New ones appear here as soon as there is room.
      </EmptyState>
    )
  }
  const shown = plans.slice(0, limit)
  // Four in a row rather than three and a single one.
  const columns = shown.length % 4 === 0 ? 'lg:grid-cols-4' : 'lg:grid-cols-3'
  return (
    <ul className={clsx('grid gap-4 sm:grid-cols-2', columns)}>
      {shown.map((plan) => (
        <li key={plan.id} className="grid">
          <PlanCard
            plan={plan}
            heading={heading}
            isChosen={plan.id === chosen}
            action={action?.(plan)}
          />
        </li>
      ))}
    </ul>
  )
}

function PlanSkeletons() {
  return (
    <Loading label="Loading the plans">
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {['a', 'b', 'c'].map((key) => (
          <Skeleton key={key} className="h-96" />
        ))}
      </div>
    </Loading>
  )
}
