import { Suspense } from 'react'
import { Link } from 'wouter'
import type { PublicPackage } from '#shared/api/shop/packages.ts'
import { isTrial } from '#shared/rules/money/plan-period.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { paths } from '../../lib/paths/paths.ts'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { buttonClass } from '../../ui/form/button.tsx'
import { PlanOrderButton, PlanOrderLink } from '../../widgets/package/plan-actions.tsx'
import { planPrice } from '../../widgets/package/plan-card.tsx'
import { PlanGrid } from '../../widgets/package/plan-grid.tsx'
import { usePlans } from '../../widgets/package/use-plans.ts'

const OrderDialog = lazyPage(() => import('./order-dialog.tsx'), 'OrderDialog')

type Audience = 'visitor' | 'client' | 'admin'

export function PricingPage({ audience }: { audience: Audience }) {
  const state = usePlans()
  // For a client the plan in the address is the one being ordered: after registration the dialog is
  // open, and closing it leaves the plain page.
  const [chosen, setChosen] = useSearchParam('plan')
  const trial = state.plans.find((plan) => isTrial(plan.name))
  const ordered = state.plans.find(({ id, soldOut }) => id === chosen && !soldOut)
  const isVisitor = audience === 'visitor'
  // Inside the application the header already has the page's first heading.
  const Heading = isVisitor ? 'h1' : 'h2'
  const actions = {
    visitor: (plan: PublicPackage) => <PlanOrderLink plan={plan} {...lookOf(plan)} />,
    client: (plan: PublicPackage) => (
      <PlanOrderButton plan={plan} {...lookOf(plan)} onOrder={() => setChosen(plan.id)} />
    ),
    admin: undefined,
  }
  const action = actions[audience]
  return (
    <div className={isVisitor ? 'mx-auto max-w-6xl px-4 py-14 sm:px-6' : undefined}>
      <div className="mb-8 flex flex-wrap items-end justify-between gap-4">
        <div>
          <Heading className="text-xl">Choose Your VPS Plan</Heading>
          <p className="mt-2 max-w-xl text-base text-ink-soft">
            Prepaid, in US dollars. {trial && trialOffer(trial)}
          </p>
        </div>
        {audience === 'admin' && (
          <Link href={paths.packages} className={buttonClass()}>
            Manage packages
          </Link>
        )}
      </div>
      <PlanGrid
        state={state}
        heading={isVisitor ? 'h2' : 'h3'}
        chosen={chosen}
        {...(action && { action })}
      />
      {audience === 'client' && ordered && (
        <Suspense>
          <OrderDialog plan={ordered} onClose={() => setChosen('')} onGone={state.retry} />
        </Suspense>
      )}
    </div>
  )
}

const trialOffer = (plan: PublicPackage): string =>
  `Not sure yet? The trial is 7 days for ${planPrice(plan).replace('.00', '')}.`

/** The popular plan has the primary button. */
const lookOf = (plan: PublicPackage) =>
  ({ variant: plan.popular ? 'primary' : 'secondary' }) as const
