import { Suspense, useState } from 'react'
import type { PublicPackage } from '#shared/api/shop/packages.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { isTrial } from '#shared/rules/money/plan-period.ts'
import { useMe } from '../../api/session.ts'
import { payingBy } from '../../lib/billing/checkout.ts'
import { type AppliedCoupon, couponBy, withCoupon } from '../../lib/billing/coupon.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Select } from '../../ui/form/select.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { PaymentNote, PriceFacts, usePayLabel } from '../../widgets/billing/price-facts.tsx'
import { UnpaidNote } from '../../widgets/billing/unpaid-note.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { useWishes } from '../../widgets/wishes/use-wishes.ts'
import { WishesFields } from '../../widgets/wishes/wishes-fields.tsx'
import { usePlanOrder } from './use-plan-order.ts'

const CouponField = lazyPage(() => import('../../widgets/billing/coupon-field.tsx'), 'CouponField')

type OrderDialogProps = {
  plan: PublicPackage
  onClose: () => void
  /** Refused, so the plan has changed: the list must be read again. */
  onGone: () => void
}

/** Asks before money moves: what, with which system, for how long, how much. */
export function OrderDialog({ plan, onClose, onGone }: OrderDialogProps) {
  const { isSimulated = false } = useMe()
  const [osType, setOsType] = useState(plan.osOptions[0] ?? '')
  const order = usePlanOrder(plan, {
    onSoldOut: () => {
      onClose()
      onGone()
    },
  })
  const form = useWishes()
  const [way, setWay] = useState<string>()
  const price = decimal(Math.round(plan.price * 100))
  const [coupon, setCoupon] = useState<AppliedCoupon>()
  const { total } = withCoupon(price, coupon)
  const label = usePayLabel('Order', total)

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Order ${plan.name}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={isSimulated || osType === '' || !form.isValid}
            isPending={order.isPending}
            onClick={() =>
              void order.run(osType, { ...form.wishes, ...payingBy(way), ...couponBy(coupon) })
            }
          >
            {label}
          </Button>
        </>
      }
    >
      <Field
        label="Operating system"
        error={osType === '' ? 'This plan names no system yet. It cannot be ordered.' : undefined}
      >
        {(control) => (
          <Select
            {...control}
            value={osType}
            onChange={(event) => setOsType(event.target.value)}
            options={plan.osOptions.map((name) => ({ value: name, label: name }))}
          />
        )}
      </Field>
      <div className="mt-4">
        <WishesFields form={form} osType={osType} error={order.error} />
      </div>
      <Facts className="my-4 border-y">
        <Fact term="You get">
          <span className="break-words font-mono">
            {plan.cpu} · {plan.ram} · {plan.storage}
          </span>
        </Fact>
        <Fact term="For">{isTrial(plan.name) ? '7 days' : '30 days'}</Fact>
        <PriceFacts price={price} coupon={coupon} />
      </Facts>
      <Suspense>
        <CouponField of={{ packageId: plan.id }} applied={coupon} onChange={setCoupon} />
      </Suspense>
      <p className="mb-3 text-ink-soft">
        Nothing is charged again by itself. At the end the server is stopped; renew it before, and
        it stays as it is.
      </p>
      <PaymentNote price={total} way={way} onChoose={setWay} />
      <UnpaidNote error={order.error} />
      {isSimulated && <p className="mt-3 text-ink-soft">Ordering is off while simulating.</p>}
    </Dialog>
  )
}
