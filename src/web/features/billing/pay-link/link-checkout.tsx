import { ExternalLink } from 'lucide-react'
import type { LinkedServer } from '#shared/api/shop/payment-links.ts'
import { isNothing } from '../../../lib/billing/credit.ts'
import { partWords } from '../../../lib/billing/payment-words.ts'
import { priceText } from '../../../lib/format/price.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { buttonClass } from '../../../ui/form/button.tsx'
import { Card, CardBody, CardHeader } from '../../../ui/layout/card.tsx'
import { useServerNow } from '../../../widgets/time/use-server-now.ts'
import { PayMethods } from '../order/pay-methods.tsx'
import { PayTimer } from '../order/pay-timer.tsx'

type Open = NonNullable<LinkedServer['open']>

/** The payment that is open: its address, or the page on which it is made. */
export function LinkCheckout({ open }: { open: Open }) {
  const { checkout } = open
  const now = useServerNow(1000)
  if (!checkout || checkout.state === 'expired') return null
  if (checkout.state === 'confirming' && isNothing(checkout.left)) {
    return (
      <Note tone="warn">
        The payment is being confirmed. The time is added as soon as it is final; there is nothing
        more to do.
      </Note>
    )
  }
  const isManual = checkout.provider === 'manual'
  const until = checkout.expiresAt === null || isManual ? undefined : Date.parse(checkout.expiresAt)
  if (until !== undefined && until <= now) return null
  const hasPart = !isNothing(checkout.seen)
  return (
    <Card>
      <CardHeader
        title={`Pay ${hasPart ? 'the remaining ' : ''}${priceText(hasPart ? checkout.left : checkout.due)}`}
        description="This page updates automatically when the payment arrives."
        action={until !== undefined && <PayTimer until={until} now={now} />}
      />
      <CardBody className="space-y-4">
        {hasPart && <Note tone="warn">{partWords(checkout.seen, checkout.due)}.</Note>}
        <PayMethods methods={checkout.methods} />
        {checkout.methods.length === 0 && checkout.url && (
          <a href={checkout.url} className={buttonClass({ variant: 'primary', size: 'lg' })}>
            Go to the payment page
            <ExternalLink aria-hidden="true" className="size-4" />
          </a>
        )}
        {isManual && (
          <>
            {checkout.instructions && (
              <p className="whitespace-pre-wrap break-words rounded-sm border px-4 py-3">
                {checkout.instructions}
              </p>
            )}
            <p>
              You pay the provider directly. Name the order number{' '}
              <strong className="font-mono font-semibold">{open.orderId}</strong> with your payment.
            </p>
          </>
        )}
      </CardBody>
    </Card>
  )
}
