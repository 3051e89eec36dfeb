import { Suspense, useState } from 'react'
import { Link } from 'wouter'
import type { Billing } from '#shared/api/shop/billing.ts'
import { isNothing } from '../../lib/billing/credit.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { priceText } from '../../lib/format/price.ts'
import { orderPath } from '../../lib/paths/paths.ts'
import { Button } from '../../ui/form/button.tsx'
import { Card } from '../../ui/layout/card.tsx'

const TopUpDialog = lazyPage(() => import('./top-up-dialog.tsx'), 'TopUpDialog')
const RedeemDialog = lazyPage(() => import('./redeem-dialog.tsx'), 'RedeemDialog')

type CreditCardProps = {
  billing: Pick<Billing, 'credit' | 'owed' | 'orders'>
  isSimulated: boolean
}

export function CreditCard({ billing, isSimulated }: CreditCardProps) {
  const { credit, owed, orders } = billing
  const [open, setOpen] = useState<'top-up' | 'redeem'>()
  const close = () => setOpen(undefined)
  const reserved = orders.filter((order) => order.status === 'pending' && !isNothing(order.credit))
  return (
    <Card className="px-5 py-4" aria-label="Credit">
      <h3 className="text-ink-soft text-sm">Credit</h3>
      <p className="tabular mt-2 font-semibold text-xl">{priceText(credit)}</p>
      <p className="mt-2 text-ink-soft">
        {isNothing(credit)
          ? 'Overpayments and refunds appear here.'
          : 'It pays your next order or renewal automatically.'}
      </p>
      {!isNothing(owed) && (
        <p className="mt-2 text-bad">
          {priceText(owed)} is missing: a payment was taken back after its credit was spent.
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="sm" disabled={isSimulated} onClick={() => setOpen('top-up')}>
          Top up
        </Button>
        <Button size="sm" disabled={isSimulated} onClick={() => setOpen('redeem')}>
          Redeem a voucher
        </Button>
      </div>
      <Suspense>
        {open === 'top-up' && <TopUpDialog owed={owed} onClose={close} />}
        {open === 'redeem' && <RedeemDialog onClose={close} />}
      </Suspense>
      {reserved.map((order) => (
        <p key={order.id} className="mt-2 text-ink-soft">
          {priceText(order.credit)} is set aside for{' '}
          <Link href={orderPath(order.id)} className="text-link">
            order {order.id}
          </Link>
          . You get it back if you cancel.
        </p>
      ))}
    </Card>
  )
}
