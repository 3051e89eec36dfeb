import { Suspense, useState } from 'react'
import type { MarketplaceToken } from '#shared/api/shop/marketplace.ts'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import { offerOf } from '#shared/rules/token/token-offer.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { daysText } from '../../lib/format/time-words.ts'
import { Button } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import {
  atTheEnd,
  isTakeable,
  OFFER_LABELS,
  offerPeriod,
  offerPrice,
  whenReady,
} from './offer-words.ts'

const ClaimDialog = lazyPage(() => import('./claim-dialog.tsx'), 'ClaimDialog')

type OfferCardProps = {
  token: MarketplaceToken
  isSimulated: boolean
  /** Another client was faster: the list must be read again. */
  onGone: () => void
}

/** What the client gets, for how long, what it costs, what happens at the end. */
export function OfferCard({ token, isSimulated, onGone }: OfferCardProps) {
  const [isAsking, setAsking] = useState(false)
  const offer = offerOf(token)
  const { cpu, ramGb, diskGb, diskKind } = sizeFromName(token.name)
  return (
    <article aria-label={token.name} className="flex flex-col rounded-md border bg-card p-5">
      <h3 className="min-w-0 break-words text-base">{token.name}</h3>
      <div className="mt-4 flex items-center justify-between gap-3">
        <p className="flex items-baseline gap-1">
          <span className="tabular font-semibold text-xl">{offerPrice(token)}</span>
          <span className="text-ink-soft">{offerPeriod(token)}</span>
        </p>
        {offer === 'trial' && <Badge>Free trial</Badge>}
        {offer === 'deploy' && <Badge>Ready</Badge>}
        {offer === 'active' && (
          <Badge tone="good" hasMark>
            Yours
          </Badge>
        )}
      </div>
      <Facts className="mt-4 border-y">
        <Fact term="System">{token.osType}</Fact>
        <Fact term="Size">
          <span className="font-mono">
            {cpu} CPU · {ramGb} GB RAM
          </span>
        </Fact>
        <Fact term="Disk">
          <span className="font-mono">
            {diskGb} GB {diskKind}
          </span>
        </Fact>
        <Fact term="Duration">{daysText(token.durationDays)}</Fact>
        {isTakeable(offer) && <Fact term="Ready">{whenReady(offer)}</Fact>}
      </Facts>
      <div className="mt-3 mb-5 text-ink-soft text-xs">
        <p className="font-semibold">At the end</p>
        <p className="mt-0.5">{atTheEnd(token)}</p>
      </div>
      <div className="mt-auto">
        <Button
          className="w-full"
          disabled={!isTakeable(offer) || isSimulated}
          aria-label={`${OFFER_LABELS[offer]}: ${token.name}`}
          onClick={() => setAsking(true)}
        >
          {OFFER_LABELS[offer]}
        </Button>
        {isSimulated && isTakeable(offer) && (
          <p className="mt-2 text-ink-soft text-xs">Buying is off while simulating.</p>
        )}
      </div>
      {isAsking && (
        <Suspense>
          <ClaimDialog token={token} onClose={() => setAsking(false)} onGone={onGone} />
        </Suspense>
      )}
    </article>
  )
}
