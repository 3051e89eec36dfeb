import { Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import type { ResponseOf } from '#shared/api/parts/route.ts'
import type { MarketplaceToken } from '#shared/api/shop/marketplace.ts'
import { claimCallOf, offerOf } from '#shared/rules/token/token-offer.ts'
import { ApiError, sentenceOf } from '../../api/api-error.ts'
import { failedNotice } from '../../api/notices.ts'
import { ownOrderOf } from '../../api/refusal-details.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { followCheckout, payingBy } from '../../lib/billing/checkout.ts'
import { type AppliedCoupon, couponBy, withCoupon } from '../../lib/billing/coupon.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { sizeTextOf } from '../../lib/format/size-text.ts'
import { daysText } from '../../lib/format/time-words.ts'
import { orderPath, paths } from '../../lib/paths/paths.ts'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { PaymentNote, PriceFacts, usePayLabel } from '../../widgets/billing/price-facts.tsx'
import { UnpaidNote } from '../../widgets/billing/unpaid-note.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { useWishes } from '../../widgets/wishes/use-wishes.ts'
import { WishesFields } from '../../widgets/wishes/wishes-fields.tsx'
import { atTheEnd, OFFER_LABELS, offerPrice, whenReady } from './offer-words.ts'

const CouponField = lazyPage(() => import('../../widgets/billing/coupon-field.tsx'), 'CouponField')

type ClaimDialogProps = { token: MarketplaceToken; onClose: () => void; onGone: () => void }

type Claim = ResponseOf<typeof api.marketplace.purchase>

const REFRESH = [api.marketplace.tokens, api.client.tokens, api.jobs.list, api.billing.overview]

const claimedNotice = ({ token, checkoutUrl }: Claim) =>
  checkoutUrl
    ? undefined
    : { title: 'Your server is on its way', description: `${token.name} is being prepared.` }

/** Refusals that a change of the wishes or of the own orders lifts. */
const NOT_THE_OFFER = new Set(['UNPAID_LIMIT', 'CONFLICT'])

/** False where something else blocks the purchase: the offer is still there. */
const isGone = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && !NOT_THE_OFFER.has(error.body?.code ?? '')

/** Asks before money moves: what, for how long, how much. */
export function ClaimDialog({ token, onClose, onGone }: ClaimDialogProps) {
  const [, navigate] = useLocation()
  const purchase = useAction(api.marketplace.purchase, {
    done: claimedNotice,
    failed: (error) =>
      ownOrderOf(error) === undefined
        ? failedNotice(
            { title: 'Purchase Failed', description: 'Failed to create instance' },
            error,
          )
        : { title: 'Already yours', description: sentenceOf(error), tone: 'neutral' },
    refresh: REFRESH,
  })
  const trial = useAction(api.marketplace.trial, {
    done: claimedNotice,
    failed: 'Trial Creation Failed',
    refresh: REFRESH,
  })
  const form = useWishes()
  const [way, setWay] = useState<string>()
  const isTrial = claimCallOf(token) === 'trial'
  const action = isTrial ? trial : purchase
  const offer = offerOf(token)
  const [coupon, setCoupon] = useState<AppliedCoupon>()
  const { total } = withCoupon(token.monthlyPrice, coupon)
  const label = usePayLabel(OFFER_LABELS[offer], total)

  async function claim() {
    const params = { tokenId: String(token.id) }
    const outcome = await action.run({
      params,
      body: isTrial ? form.wishes : { ...form.wishes, ...payingBy(way), ...couponBy(coupon) },
    })
    if (!outcome.ok) {
      const own = ownOrderOf(outcome.error)
      if (own !== undefined) navigate(orderPath(own))
      // Refused, so the offer has changed. Without an answer nothing is known.
      else if (isGone(outcome.error)) {
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
      action={isTrial ? OFFER_LABELS[offer] : label}
      onConfirm={() => void claim()}
      isPending={action.isPending}
      isReady={form.isValid}
      fields={
        <WishesFields
          form={form}
          isReady={token.tokenType === 'ready'}
          osType={token.osType}
          tokenId={token.id}
          error={action.error}
        />
      }
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
          <PriceFacts price={token.monthlyPrice} coupon={coupon} />
        )}
        <Fact term="Ready">{whenReady(offer)}</Fact>
      </Facts>
      <p className="my-3">{atTheEnd(token)}</p>
      {!isTrial && (
        <>
          <Suspense>
            <CouponField of={{ tokenId: token.id }} applied={coupon} onChange={setCoupon} />
          </Suspense>
          <PaymentNote price={total} way={way} onChoose={setWay} />
        </>
      )}
      <UnpaidNote error={action.error} />
    </Confirm>
  )
}
