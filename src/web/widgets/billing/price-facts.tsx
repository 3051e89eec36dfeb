import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { type AppliedCoupon, withCoupon } from '../../lib/billing/coupon.ts'
import { isNothing, payLabel, splitPrice } from '../../lib/billing/credit.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { priceText } from '../../lib/format/price.ts'
import { Fact } from '../facts/facts.tsx'
import { usePaymentNote } from './use-payment.ts'

const PaymentChoice = lazyPage(() => import('./payment-choice.tsx'), 'PaymentChoice')

/** How a price would be paid now: the part from credit, and the rest. */
function usePriceSplit(price: string) {
  const { data } = useQuery({ ...query(api.billing.overview), staleTime: 0 })
  return splitPrice(price, data?.credit ?? '0.00')
}

/** The label of the button that pays this price. */
export function usePayLabel(verb: string, price: string): string {
  const { data } = useQuery({ ...query(api.billing.overview), staleTime: 0 })
  return payLabel(verb, price, data?.credit ?? '0.00')
}

type PriceFactsProps = { price: string; coupon?: AppliedCoupon | undefined }

/** The price, what the coupon takes off it, and the part that credit pays. */
export function PriceFacts({ price, coupon }: PriceFactsProps) {
  const { total, discount } = withCoupon(price, coupon)
  const { fromCredit, toPay } = usePriceSplit(total)
  return (
    <>
      <Fact term="Price">
        <span className="tabular font-semibold">{priceText(price)}</span>
      </Fact>
      {coupon && <Less term="Coupon" amount={discount} />}
      {!isNothing(fromCredit) && <Less term="From your credit" amount={fromCredit} />}
      {(coupon || !isNothing(fromCredit)) && (
        <Fact term="To pay">
          <span className="tabular font-semibold">{priceText(toPay)}</span>
        </Fact>
      )}
    </>
  )
}

const Less = ({ term, amount }: { term: string; amount: string }) => (
  <Fact term={term}>
    <span className="tabular">−{priceText(amount)}</span>
  </Fact>
)

type PaymentNoteProps = {
  /** With the coupon taken off. */
  price: string
  /** The way that was chosen; undefined: the first. */
  way: string | undefined
  onChoose: (way: string) => void
}

/** How to pay the rest of a price: the choice, if there is one, and a sentence. */
export function PaymentNote({ price, way, onChoose }: PaymentNoteProps) {
  const note = usePaymentNote(way)
  const { toPay } = usePriceSplit(price)
  if (isNothing(price)) return <p className="font-semibold text-ink">There is nothing to pay.</p>
  if (isNothing(toPay)) return <p className="font-semibold text-ink">Your credit covers it.</p>
  return (
    <>
      <Suspense>
        <PaymentChoice value={way} onChange={onChoose} />
      </Suspense>
      <p className="font-semibold text-ink">{note}</p>
    </>
  )
}
