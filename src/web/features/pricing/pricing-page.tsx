import { Link, useSearch } from 'wouter'
import type { PublicPackage } from '#shared/api/packages.ts'
import { isTrial } from '#shared/rules/plan-period.ts'
import { paths, registerPath } from '../../paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { planPrice } from '../../widgets/plan-card.tsx'
import { PlanGrid } from '../../widgets/plan-grid.tsx'
import { usePlans } from '../../widgets/use-plans.ts'

type Audience = 'visitor' | 'client' | 'admin'

export function PricingPage({ audience }: { audience: Audience }) {
  const state = usePlans()
  const chosen = new URLSearchParams(useSearch()).get('plan')
  const trial = state.plans.find((plan) => isTrial(plan.name))
  const isVisitor = audience === 'visitor'
  // Inside the application the header already carries the page's first heading.
  const Heading = isVisitor ? 'h1' : 'h2'
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
        {...(isVisitor && { action: orderLink })}
      />
    </div>
  )
}

const trialOffer = (plan: PublicPackage): string =>
  `Not sure yet? The trial is 7 days for ${planPrice(plan).replace('.00', '')}.`

/** A visitor needs an account first; the plan travels along in the address. */
const orderLink = (plan: PublicPackage) => (
  <Link
    href={registerPath(plan.id)}
    aria-label={`Order ${plan.name}`}
    className={`${buttonClass({ variant: plan.popular ? 'primary' : 'secondary' })} w-full`}
  >
    Order
  </Link>
)
