import { Link } from 'wouter'
import { paths, registerPath } from '../../lib/paths/paths.ts'
import { buttonClass } from '../../ui/form/button.tsx'
import { PlanOrderLink } from '../../widgets/package/plan-actions.tsx'
import { PlanGrid } from '../../widgets/package/plan-grid.tsx'
import { usePlans } from '../../widgets/package/use-plans.ts'
import { FeatureCards } from './feature-cards.tsx'
import { Hero } from './hero.tsx'

const PLANS_SHOWN = 6

export function LandingPage() {
  const state = usePlans()
  return (
    <>
      <Hero plans={state.plans} />
      <FeatureCards />
      <section aria-labelledby="plans" className="mx-auto max-w-6xl px-4 py-16 sm:px-6">
        <div className="mb-8 flex flex-wrap items-end justify-between gap-4">
          <h2 id="plans" className="text-xl">
            Plans
          </h2>
          <Link href={paths.pricing} className="text-link text-base">
            Compare all plans
          </Link>
        </div>
        <PlanGrid
          state={state}
          heading="h3"
          limit={PLANS_SHOWN}
          action={(plan) => <PlanOrderLink plan={plan} />}
        />
      </section>
      <CallToAction />
    </>
  )
}

function CallToAction() {
  return (
    <section aria-labelledby="start" className="border-t bg-card">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center justify-between gap-8 px-4 py-16 sm:px-6">
        <div className="max-w-xl">
          <h2 id="start" className="text-xl">
            One checkbox, one press, and you have an account
          </h2>
          <p className="mt-3 text-base text-ink-soft">
            You get seven digits and a password. Keep them well: nobody, us included, can tell you
            them a second time.
          </p>
        </div>
        <Link href={registerPath()} className={buttonClass({ variant: 'primary', size: 'lg' })}>
          Get Started
        </Link>
      </div>
    </section>
  )
}
