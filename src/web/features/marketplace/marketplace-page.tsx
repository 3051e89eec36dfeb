import { useQuery } from '@tanstack/react-query'
import { PackageOpen } from 'lucide-react'
import { Link } from 'wouter'
import type { MarketplaceToken } from '#shared/api/shop/marketplace.ts'
import { offerOf } from '#shared/rules/token/token-offer.ts'
import { query } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { count } from '../../lib/format/words.ts'
import { paths } from '../../lib/paths/paths.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { LazyAccept } from '../../widgets/handover/lazy-accept.tsx'
import { CardSkeletons } from '../../widgets/list/card-skeletons.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { OfferCard } from './offer-card.tsx'
import { isTakeable } from './offer-words.ts'

const POLL_MS = 30_000

/** Create New Instance: the offers available now. */
export function MarketplacePage() {
  const offers = useQuery({
    ...query(api.marketplace.tokens),
    staleTime: 0,
    refetchInterval: POLL_MS,
  })
  const { isSimulated = false } = useMe()
  const choice = offers.data?.filter((token) => isTakeable(offerOf(token))).length ?? 0
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div>
          <h2 className="text-lg">
            {choice > 0 ? count(choice, 'server') : 'Servers'} to choose from
          </h2>
          <p className="mt-0.5 text-ink-soft">Prepaid, in US dollars. No name, no e-mail.</p>
        </div>
        <div className="flex flex-wrap items-center gap-3">
          <QueryFreshness query={offers} />
          <LazyAccept />
        </div>
      </div>
      <ListState
        query={offers}
        failure="The offers could not be loaded"
        skeleton={<CardSkeletons />}
      >
        {(list) => (
          <Offers offers={list} isSimulated={isSimulated} onGone={() => void offers.refetch()} />
        )}
      </ListState>
    </div>
  )
}

type OffersProps = {
  offers: readonly MarketplaceToken[]
  isSimulated: boolean
  onGone: () => void
}

function Offers({ offers, isSimulated, onGone }: OffersProps) {
  if (offers.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={PackageOpen}
          title="No Instances Available"
          action={
            <Link href={paths.pricing} className={buttonClass({ variant: 'primary' })}>
              See the plans
            </Link>
          }
        >
          Everything is taken at the moment. New ones appear here by themselves.
        </EmptyState>
      </Card>
    )
  }
  return (
    <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
      {offers.map((token) => (
        <li key={token.id} className="grid">
          <OfferCard token={token} isSimulated={isSimulated} onGone={onGone} />
        </li>
      ))}
    </ul>
  )
}
