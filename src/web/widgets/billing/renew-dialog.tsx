import { Suspense, useState } from 'react'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { followCheckout, payingBy } from '../../lib/billing/checkout.ts'
import { type AppliedCoupon, couponBy, withCoupon } from '../../lib/billing/coupon.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { exactTime } from '../../lib/format/time.ts'
import { daysText } from '../../lib/format/time-words.ts'
import { Confirm } from '../../ui/overlay/confirm.tsx'
import { Fact, Facts } from '../facts/facts.tsx'
import { MonthsChoice } from './months-choice.tsx'
import { PaymentNote, PriceFacts, usePayLabel } from './price-facts.tsx'
import { useMonths } from './use-months.ts'

const CouponField = lazyPage(() => import('./coupon-field.tsx'), 'CouponField')

type Renewed = Pick<ClientToken, 'id' | 'name' | 'monthlyPrice' | 'durationDays' | 'expiresAt'>
type RenewDialogProps = { token: Renewed; now: number; onClose: () => void }

export function RenewDialog({ token, now, onClose }: RenewDialogProps) {
  const [way, setWay] = useState<string>()
  const [chosen, setChosen] = useState(1)
  const offers = useMonths(token, now)
  const offer = offers.find(({ months }) => months === chosen)
  const price = offer?.price ?? token.monthlyPrice
  const [coupon, setCoupon] = useState<AppliedCoupon>()
  const { total } = withCoupon(price, coupon)
  const label = usePayLabel('Renew', total)
  const renew = useAction(api.client.renew, {
    done: ({ order, checkoutUrl }) => {
      if (checkoutUrl) return undefined
      return order.status === 'pending'
        ? { title: 'Renewal ordered', description: 'It counts once the payment has arrived.' }
        : { title: 'Server renewed', description: token.name }
    },
    failed: 'Renewal Failed',
    refresh: [api.servers.get, api.client.tokens, api.client.instances, api.billing.overview],
  })
  const confirm = async () => {
    const body = {
      ...payingBy(way),
      ...couponBy(coupon),
      ...(offer && { months: offer.months }),
    }
    const outcome = await renew.run({ params: { id: token.id }, body })
    if (!outcome.ok) return
    onClose()
    if (outcome.result.checkoutUrl) followCheckout(outcome.result.checkoutUrl)
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Renew ${token.name}?`}
      action={label}
      onConfirm={() => void confirm()}
      isPending={renew.isPending}
    >
      <MonthsChoice offers={offers} value={chosen} onChange={setChosen} />
      <Facts className="mb-3 border-y text-ink">
        <Fact term="Adds">{daysText(offer?.days ?? token.durationDays)}</Fact>
        <PriceFacts price={price} coupon={coupon} />
        {offer && <Fact term="Then ends">{exactTime(offer.until)}</Fact>}
      </Facts>
      <Suspense>
        <CouponField of={{ tokenId: token.id }} applied={coupon} onChange={setCoupon} />
      </Suspense>
      <PaymentNote price={total} way={way} onChoose={setWay} />
    </Confirm>
  )
}
