import { Check } from 'lucide-react'
import { Suspense } from 'react'
import { Link } from 'wouter'
import type { PublicPackage } from '#shared/api/shop/packages.ts'
import { isTrial } from '#shared/rules/money/plan-period.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { paymentWays } from '../../lib/browser/page-facts.ts'
import { paths, registerPath } from '../../lib/paths/paths.ts'
import { buttonClass } from '../../ui/form/button.tsx'
import { planPrice } from '../../widgets/package/plan-card.tsx'
import { ExampleServer } from './example-server.tsx'

const DeliveryLine = lazyPage(() => import('./delivery-line.tsx'), 'DeliveryLine')
const anyOf = new Intl.ListFormat('en-US', { type: 'disjunction' })
const paymentLine = paymentWays.length > 0 ? `Pay by ${anyOf.format(paymentWays)}.` : undefined

const NOT_ASKED = ['No e-mail address', 'No phone number', 'No name']

export function Hero({ plans }: { plans: readonly PublicPackage[] }) {
  return (
    <section className="mx-auto grid max-w-6xl items-center gap-12 px-4 py-14 sm:px-6 lg:grid-cols-[1.1fr_1fr] lg:py-24">
      <div>
        <h1 className="text-xl sm:text-2xl">A server of your own. Nobody asks who you are.</h1>
        <p className="mt-5 max-w-lg text-base text-ink-soft">
          Rent a virtual private server with an account that is seven digits and a password. That is
          all of it.
        </p>
        <ul className="mt-6 flex flex-wrap gap-x-6 gap-y-2 text-base">
          {NOT_ASKED.map((text) => (
            <li key={text} className="flex items-center gap-2">
              <Check aria-hidden="true" className="size-4 text-ink-soft" />
              {text}
            </li>
          ))}
        </ul>
        <div className="mt-8 flex flex-wrap items-center gap-3">
          <Link href={registerPath()} className={buttonClass({ variant: 'primary', size: 'lg' })}>
            Get Started
          </Link>
          <Link href={paths.pricing} className={buttonClass({ size: 'lg' })}>
            See the plans
          </Link>
        </div>
        <p className="mt-4 min-h-5 text-ink-soft">{cheapest(plans)}</p>
        {paymentLine !== undefined && <p className="text-ink-soft">{paymentLine}</p>}
        <p className="min-h-10 max-w-lg text-ink-soft">
          <Suspense>
            <DeliveryLine />
          </Suspense>
        </p>
      </div>
      <ExampleServer />
    </section>
  )
}

/** The lowest price in one line, from the plans on sale. */
function cheapest(plans: readonly PublicPackage[]): string | undefined {
  const [first] = plans.filter((plan) => !isTrial(plan.name)).sort((a, b) => a.price - b.price)
  const trial = plans.find((plan) => isTrial(plan.name))
  if (!first) return undefined
  const from = `From ${planPrice(first)} a month.`
  return trial ? `${from} Try one for 7 days for ${planPrice(trial).replace('.00', '')}.` : from
}
