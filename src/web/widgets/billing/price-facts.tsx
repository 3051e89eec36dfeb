import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
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

/** The price, and the part that credit pays. */
export function PriceFacts({ price }: { price: string }) {
  const { fromCredit, toPay } = usePriceSplit(price)
  return (
    <>
      <Fact term="Price">
        <span className="tabular font-semibold">{priceText(price)}</span>
      </Fact>
      {!isNothing(fromCredit) && (
        <>
          <Fact term="From your credit">
            <span className="tabular">−{priceText(fromCredit)}</span>
          </Fact>
          <Fact term="To pay">
            <span className="tabular font-semibold">{priceText(toPay)}</span>
          </Fact>
        </>
      )}
    </>
  )
}

type PaymentNoteProps = {
  price: string
  /** The way that was chosen; undefined: the first. */
  way: string | undefined
  onChoose: (way: string) => void
}

/** How to pay the rest of a price: the choice, if there is one, and a sentence. */
export function PaymentNote({ price, way, onChoose }: PaymentNoteProps) {
  const note = usePaymentNote(way)
  const { toPay } = usePriceSplit(price)
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
