import { useState } from 'react'
import type { LinkedServer } from '#shared/api/shop/payment-links.ts'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import { MONTHS, NO_DISCOUNTS, priceOfMonths } from '#shared/rules/money/months.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { followCheckout, payingBy } from '../../../lib/billing/checkout.ts'
import { priceText } from '../../../lib/format/price.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Card, CardBody, CardHeader } from '../../../ui/layout/card.tsx'
import { MonthsChoice } from '../../../widgets/billing/months-choice.tsx'
import { PaymentChoice } from '../../../widgets/billing/payment-choice.tsx'

type ChooseTermProps = {
  code: string
  offers: LinkedServer['offers']
  /** What the open payment is for. */
  openMonths: number | undefined
}

/** How long and in which way; also to change what the open payment is for. */
export function ChooseTerm({ code, offers, openMonths }: ChooseTermProps) {
  const [chosen, setChosen] = useState<number>()
  const [way, setWay] = useState<string>()
  const pay = useAction(api.paymentLinks.pay, {
    failed: 'Payment could not be started',
    refresh: [api.paymentLinks.show],
  })
  const wanted = chosen ?? openMonths ?? 1
  const offer = offers.find(({ months }) => months === wanted) ?? offers[0]
  if (!offer) return null
  async function start(months: number) {
    const body = { ...payingBy(way), months: MONTHS.find((one) => one === months) ?? 1 }
    const outcome = await pay.run({ params: { code }, body })
    if (outcome.ok && outcome.result.checkoutUrl) followCheckout(outcome.result.checkoutUrl)
  }
  return (
    <Card>
      <CardHeader title={openMonths === undefined ? 'Pay' : 'Pay in another way'} />
      <CardBody>
        <MonthsChoice
          offers={offers.map((one) => ({ ...one, percent: percentOf(one, offers) }))}
          value={offer.months}
          onChange={setChosen}
        />
        <PaymentChoice value={way} onChange={setWay} />
        <Button
          variant="primary"
          size="lg"
          isPending={pay.isPending}
          onClick={() => void start(offer.months)}
        >
          Pay {priceText(offer.price)}
        </Button>
      </CardBody>
    </Card>
  )
}

type Offer = LinkedServer['offers'][number]

/** How much less it costs than so many single months. */
function percentOf({ months, price }: Offer, offers: readonly Offer[]): number {
  const single = parseAmount(offers.find((one) => one.months === 1)?.price ?? '') ?? 0
  const whole = MONTHS.find((one) => one === months)
  if (single === 0 || whole === undefined) return 0
  const full = priceOfMonths(single, whole, NO_DISCOUNTS)
  return Math.round((1 - Number(price) / Number(decimal(full))) * 100)
}
