import clsx from 'clsx'
import type { ReactNode } from 'react'
import type { PublicPackage } from '#shared/api/shop/packages.ts'
import { formatUsd } from '#shared/rules/money/money.ts'
import { planPeriod } from '#shared/rules/money/plan-period.ts'
import { gbText, mbitText } from '#shared/rules/network/traffic.ts'
import { Badge } from '../../ui/indicator/badge.tsx'

/** The admin's card shows a plan as well, without its availability. */
type Plan = Omit<PublicPackage, 'soldOut'>

type PlanCardProps = {
  plan: Plan
  /** The heading level of its name on the page. */
  heading: 'h2' | 'h3'
  /** The plan that the visitor came back for. */
  isChosen?: boolean
  action?: ReactNode
}

export const planPrice = (plan: Pick<Plan, 'price'>): string =>
  formatUsd(Math.round(plan.price * 100))

export function PlanCard({ plan, heading: Heading, isChosen = false, action }: PlanCardProps) {
  return (
    <article
      aria-label={plan.name}
      className={clsx(
        'flex flex-col rounded-md border bg-card p-6',
        isChosen ? 'border-link' : plan.popular && 'border-line-strong',
      )}
    >
      <div className="flex min-h-6 items-start justify-between gap-3">
        <Heading className="text-base">{plan.name}</Heading>
        {isChosen ? <Badge>Your choice</Badge> : plan.popular && <Badge>Popular</Badge>}
      </div>
      <p className="mt-4 flex items-baseline gap-1">
        <span className="tabular font-semibold text-xl">{planPrice(plan)}</span>
        <span className="text-ink-soft">{planPeriod(plan.name)}</span>
      </p>
      {plan.description && <p className="mt-2 text-ink-soft sm:min-h-10">{plan.description}</p>}
      <PlanFacts plan={plan} />
      {plan.specialNote && <p className="mt-4 text-ink-soft text-xs">{plan.specialNote}</p>}
      {action && <div className="mt-auto pt-6">{action}</div>}
    </article>
  )
}

function PlanFacts({ plan }: { plan: Plan }) {
  const facts: [term: string, fact: string | 0 | null][] = [
    ['Processor', plan.cpu],
    ['Memory', plan.ram],
    ['Storage', plan.storage],
    ['Bandwidth', plan.bandwidth ?? (plan.rateMbit && mbitText(plan.rateMbit))],
    ['Traffic', plan.traffic ?? (plan.trafficGb === null ? null : gbText(plan.trafficGb))],
    ['Address', plan.ipv6Only ? 'IPv6 only' : null],
    ['Snapshots', plan.snapshotQuota > 0 ? String(plan.snapshotQuota) : null],
    ['Backups', plan.backupLimit > 0 ? String(plan.backupLimit) : null],
  ]
  return (
    <dl className="mt-5 divide-y border-y">
      {facts.map(([term, fact]) =>
        fact ? (
          <div key={term} className="flex justify-between gap-6 py-2">
            <dt className="text-ink-soft">{term}</dt>
            <dd className="text-right font-mono">{fact}</dd>
          </div>
        ) : null,
      )}
      {plan.osOptions.length > 0 && (
        <div className="py-2">
          <dt className="text-ink-soft">Systems</dt>
          <dd className="mt-0.5">{plan.osOptions.join(', ')}</dd>
        </div>
      )}
    </dl>
  )
}
