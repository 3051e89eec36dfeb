import { useQuery } from '@tanstack/react-query'
import { Plus, Repeat } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { BillingPlan } from '#shared/api/money/payments.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { priceText } from '../../lib/format/price.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { AskedButton } from '../../widgets/list/asked-button.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'

const AddPlanDialog = lazyPage(() => import('./add-plan-dialog.tsx'), 'AddPlanDialog')

/** The plans for recurring renewal of tokens. */
export function BillingPlansCard() {
  const plans = useQuery({ ...query(api.payments.plans), staleTime: 0 })
  const [isAdding, setAdding] = useState(false)
  return (
    <Card>
      <CardHeader
        title="Billing plans"
        description="What automatic renewal by card charges each month."
        action={
          <Button onClick={() => setAdding(true)}>
            <Plus aria-hidden="true" className="size-4" />
            Add Billing Plan
          </Button>
        }
      />
      <ListState query={plans} failure="The billing plans could not be loaded">
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={Repeat} title="No billing plans yet">
              Without one a token renews at its own price.
            </EmptyState>
          ) : (
            <ul className="divide-y">
              {list.map((plan) => (
                <PlanItem key={plan.id} plan={plan} />
              ))}
            </ul>
          )
        }
      </ListState>
      {isAdding && (
        <Suspense>
          <AddPlanDialog onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Card>
  )
}

function PlanItem({ plan }: { plan: BillingPlan }) {
  const remove = useAction(api.payments.removePlan, {
    done: { title: 'Billing plan deleted', description: plan.name },
    failed: 'The billing plan was not deleted',
    refresh: [api.payments.plans],
  })
  return (
    <li className="flex items-start justify-between gap-4 px-5 py-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="break-words font-semibold">{plan.name}</span>
          <span className="tabular">{priceText(plan.monthlyPrice)} a month</span>
          {!plan.isActive && <Badge>Inactive</Badge>}
        </p>
        {plan.description && <p className="text-ink-soft">{plan.description}</p>}
        {plan.features.length > 0 && <p className="text-ink-soft">{plan.features.join(', ')}</p>}
        {plan.stripePriceId && (
          <p className="break-all font-mono text-ink-soft text-xs">{plan.stripePriceId}</p>
        )}
      </div>
      <AskedButton
        verb="Delete"
        name={plan.name}
        isDisabled={false}
        isPending={remove.isPending}
        act={() => remove.run({ params: { id: plan.id } })}
      >
        New renewals cannot use it any more. Those that run go on at Stripe.
      </AskedButton>
    </li>
  )
}
