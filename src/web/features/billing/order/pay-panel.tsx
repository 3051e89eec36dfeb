import { ExternalLink } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import { isNothing } from '../../../lib/billing/credit.ts'
import { partWords, progressWords } from '../../../lib/billing/payment-words.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { priceText } from '../../../lib/format/price.ts'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button, buttonClass } from '../../../ui/form/button.tsx'
import { Skeleton } from '../../../ui/indicator/skeleton.tsx'
import { Card, CardBody, CardHeader } from '../../../ui/layout/card.tsx'
import { isDirect, payUntil } from './order-stage.ts'
import { PayTimer } from './pay-timer.tsx'

// The code for the ways to pay and for confirmation dialogs is loaded only where needed.
const PayMethods = lazyPage(() => import('./pay-methods.tsx'), 'PayMethods')
const OtherWays = lazyPage(() => import('./other-ways.tsx'), 'OtherWays')
const CancelOrderDialog = lazyPage(() => import('./cancel-order-dialog.tsx'), 'CancelOrderDialog')

type PayPanelProps = { details: ClientOrderDetails; now: number; isSimulated: boolean }

/** How to pay an order: on this page, on the provider's, or directly. */
export function PayPanel({ details, now, isSimulated }: PayPanelProps) {
  const { order, checkout } = details
  const [isAsking, setAsking] = useState(false)
  if (!checkout) return null
  const until = payUntil(details)
  const hasPart = !isNothing(checkout.seen)
  const progress = progressWords(checkout.progress)
  return (
    <Card>
      <CardHeader
        title={
          hasPart
            ? `Pay the remaining ${priceText(checkout.left)}`
            : `Pay ${priceText(checkout.due)}`
        }
        description={
          isNothing(order.credit)
            ? 'This page updates automatically when your payment arrives.'
            : `${priceText(order.credit)} of ${priceText(order.amount)} comes from your credit. This page updates automatically when the rest arrives.`
        }
        action={until !== undefined && <PayTimer until={until} now={now} />}
      />
      {/* Together, so that a button does not move away under a press when the ways to pay appear. */}
      <Suspense fallback={<Skeleton className="m-5 h-72" />}>
        <CardBody className="space-y-4">
          {hasPart && (
            <Note tone="warn">
              {partWords(checkout.seen, checkout.due)}
              {progress !== undefined && ` (${progress})`}. Send the rest to the same address before
              the time is over.
            </Note>
          )}
          <HowToPay details={details} />
          {checkout.state === 'pending' && !hasPart && (
            <OtherWays details={details} isSimulated={isSimulated} />
          )}
        </CardBody>
        <footer className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-3">
          <p className="min-w-0 flex-1 basis-64 text-ink-soft text-xs">
            Money that arrives later, or does not fit, is never lost: it becomes your credit.
          </p>
          {checkout.state !== 'confirming' && (
            <Button
              variant="ghost"
              size="sm"
              disabled={isSimulated}
              onClick={() => setAsking(true)}
            >
              Cancel the order
            </Button>
          )}
        </footer>
      </Suspense>
      {isAsking && (
        <Suspense>
          <CancelOrderDialog order={order} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </Card>
  )
}

function HowToPay({ details }: { details: ClientOrderDetails }) {
  const { order, checkout } = details
  if (!checkout) return null
  if (checkout.methods.length > 0) {
    return (
      <>
        <PayMethods methods={checkout.methods} />
        {checkout.url && (
          <p className="text-ink-soft">
            You may also pay on{' '}
            <a href={checkout.url} className="text-link">
              the provider’s own page
            </a>{' '}
            and come back here afterwards.
          </p>
        )}
      </>
    )
  }
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
  if (!isDirect(details)) {
    return <p>The ways to pay are not available right now. This page retries automatically.</p>
  }
  return (
    <>
      {checkout.instructions && (
        <p className="whitespace-pre-wrap break-words rounded-sm border px-4 py-3">
          {checkout.instructions}
        </p>
      )}
      <p>
        You pay the provider directly. Name the order number{' '}
        <strong className="font-mono font-semibold">{order.id}</strong> with your payment. The order
        goes on as soon as the provider marks it as paid.
      </p>
    </>
  )
}
