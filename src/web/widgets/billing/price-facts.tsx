import { useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { isNothing, payLabel, splitPrice } from '../../lib/billing/credit.ts'
import { priceText } from '../../lib/format/price.ts'
import { Fact } from '../facts/facts.tsx'
import { usePaymentNote } from './use-payment.ts'

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

/** How to pay the rest of a price, in a sentence. */
export function PaymentNote({ price }: { price: string }) {
  const note = usePaymentNote()
  const { toPay } = usePriceSplit(price)
  return (
    <p className="font-semibold text-ink">{isNothing(toPay) ? 'Your credit covers it.' : note}</p>
  )
}
