import { useLocation } from 'wouter'
import type { MarketplaceToken } from '#shared/api/marketplace.ts'
import type { ResponseOf } from '#shared/api/route.ts'
import { claimCallOf, offerOf } from '#shared/rules/token-offer.ts'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { followCheckout } from '../../lib/checkout.ts'
import { sizeTextOf } from '../../lib/size-text.ts'
import { daysText } from '../../lib/time-words.ts'
import { paths } from '../../paths.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Fact, Facts } from '../../widgets/facts.tsx'
import { PaymentNote, PriceFacts } from '../../widgets/price-facts.tsx'
import { atTheEnd, OFFER_LABELS, offerPrice, whenReady } from './offer-words.ts'

type ClaimDialogProps = { token: MarketplaceToken; onClose: () => void; onGone: () => void }

type Claim = ResponseOf<typeof api.marketplace.purchase>

const REFRESH = [api.marketplace.tokens, api.client.tokens, api.jobs.list, api.billing.overview]

const onItsWay = ({ token, checkoutUrl }: Claim) =>
  checkoutUrl
    ? undefined
    : { title: 'Your server is on its way', description: `${token.name} is being prepared.` }

/** Asks before money moves: what, for how long, how much. */
export function ClaimDialog({ token, onClose, onGone }: ClaimDialogProps) {
  const [, navigate] = useLocation()
  const purchase = useAction(api.marketplace.purchase, {
    done: onItsWay,
    failed: { title: 'Purchase Failed', description: 'Failed to create instance' },
    refresh: REFRESH,
  })
  const trial = useAction(api.marketplace.trial, {
    done: onItsWay,
    failed: 'Trial Creation Failed',
    refresh: REFRESH,
  })
  const isTrial = claimCallOf(token) === 'trial'
  const action = isTrial ? trial : purchase
  const offer = offerOf(token)

  async function claim() {
    const outcome = await action.run({ params: { tokenId: String(token.id) } })
    if (!outcome.ok) {
      // Refused, so the offer is no longer what it was. Without an answer nothing is known.
      if (outcome.error instanceof ApiError && outcome.error.status === 409) {
        onClose()
        onGone()
      }
      return
    }
    const { checkoutUrl } = outcome.result
    if (checkoutUrl) followCheckout(checkoutUrl)
    else navigate(paths.dashboard)
  }

  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={isTrial ? `Try ${token.name}?` : `Buy ${token.name}?`}
      action={isTrial || offer === 'deploy' ? OFFER_LABELS[offer] : `Buy for ${offerPrice(token)}`}
      onConfirm={() => void claim()}
      isPending={action.isPending}
    >
      <Facts className="border-y text-ink">
        <Fact term="You get">
          <span className="break-words">
            {token.osType}
            <span className="block font-mono text-ink-soft text-xs">{sizeTextOf(token.name)}</span>
          </span>
        </Fact>
        <Fact term="For">{daysText(token.durationDays)}</Fact>
        {isTrial ? (
          <Fact term="Price">
            <span className="font-semibold">{offerPrice(token)}</span>
          </Fact>
        ) : (
          <PriceFacts price={token.monthlyPrice} />
        )}
        <Fact term="Ready">{whenReady(offer)}</Fact>
      </Facts>
      <p className="my-3">{atTheEnd(token)}</p>
      {!isTrial && <PaymentNote price={token.monthlyPrice} />}
    </Confirm>
  )
}
