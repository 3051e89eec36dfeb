import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import type { ClientOrderDetails } from '#shared/api/billing.ts'
import { isNothing } from '../../lib/credit.ts'
import { paymentRemark } from '../../lib/payment-words.ts'
import { priceText } from '../../lib/price.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card, CardBody, CardHeader } from '../../ui/card.tsx'
import { Note } from '../../widgets/note.tsx'
import { useServerNow } from '../../widgets/use-server-now.ts'
import { CancelOrderDialog } from './cancel-order-dialog.tsx'
import { PayMethods } from './pay-methods.tsx'
import { PayTimer } from './pay-timer.tsx'

type PayPanelProps = { details: ClientOrderDetails; isSimulated: boolean }

/** How to pay an order: on this page, on the provider's, or directly. */
export function PayPanel({ details, isSimulated }: PayPanelProps) {
  const { order, checkout, payments } = details
  const now = useServerNow(1000)
  const [isAsking, setAsking] = useState(false)
  if (!checkout) return null
  const until = checkout.expiresAt ?? order.payBy
  const remark = payments
    .filter(({ status }) => status === 'pending')
    .map(paymentRemark)
    .find(Boolean)
  return (
    <Card>
      <CardHeader
        title={`Pay ${priceText(checkout.due)}`}
        description={
          isNothing(order.credit)
            ? 'This page notices by itself when the payment arrives.'
            : `${priceText(order.credit)} of ${priceText(order.amount)} comes from your credit. This page notices by itself when the rest arrives.`
        }
        action={until && <PayTimer until={Date.parse(until)} now={now} />}
      />
      <CardBody className="space-y-4">
        {remark && <Note tone="warn">{remark}</Note>}
        <HowToPay details={details} />
      </CardBody>
      <footer className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-3">
        <p className="min-w-0 flex-1 basis-64 text-ink-soft text-xs">
          Money that arrives later, or does not fit, is never lost: it becomes your credit.
        </p>
        <Button variant="ghost" size="sm" disabled={isSimulated} onClick={() => setAsking(true)}>
          Cancel the order
        </Button>
      </footer>
      {isAsking && <CancelOrderDialog order={order} onClose={() => setAsking(false)} />}
    </Card>
  )
}

function HowToPay({ details: { order, checkout } }: { details: ClientOrderDetails }) {
  if (!checkout) return null
  if (checkout.methods.length > 0) return <PayMethods methods={checkout.methods} />
  if (checkout.url) {
    return (
      <>
        <p>You pay on the page of the payment provider and come back here afterwards.</p>
        <a href={checkout.url} className={buttonClass({ variant: 'primary', size: 'lg' })}>
          Go to the payment page
          <ExternalLink aria-hidden="true" className="size-4" />
        </a>
      </>
    )
  }
  return (
    <p>
      You pay the provider directly. Name the order number{' '}
      <strong className="font-mono font-semibold">{order.id}</strong> with your payment. The order
      goes on as soon as the provider marks it as paid.
    </p>
  )
}
