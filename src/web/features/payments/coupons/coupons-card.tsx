import { useQuery } from '@tanstack/react-query'
import { Plus, TicketPercent } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Coupon } from '#shared/api/money/coupons.ts'
import type { CouponState } from '#shared/rules/money/coupon.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Badge, type Tone } from '../../../ui/indicator/badge.tsx'
import { Card, CardHeader } from '../../../ui/layout/card.tsx'
import { AskedButton } from '../../../widgets/list/asked-button.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { RelativeTime } from '../../../widgets/time/relative-time.tsx'
import { offWords, ordersWords, usesWords } from './coupon-words.ts'

const MakeCouponDialog = lazyPage(() => import('./make-coupon-dialog.tsx'), 'MakeCouponDialog')

const TONES: Record<CouponState, Tone> = {
  on: 'good',
  off: 'idle',
  'to come': 'warn',
  ended: 'idle',
  'used up': 'idle',
}

/** Coupons: discounts by a code. */
export function CouponsCard() {
  const list = useQuery({ ...query(api.coupons.list), staleTime: 0 })
  const [isMaking, setMaking] = useState(false)
  return (
    <Card>
      <CardHeader
        title="Coupons"
        description="A code that lowers the price of an order. It is never money: that is a voucher."
        action={
          <Button onClick={() => setMaking(true)}>
            <Plus aria-hidden="true" className="size-4" />
            Make a coupon
          </Button>
        }
      />
      <ListState query={list} failure="The coupons could not be loaded">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={TicketPercent} title="No coupons">
              Clients enter a code at checkout and see the lower price before they order.
            </EmptyState>
          ) : (
            <ul className="max-h-96 divide-y overflow-y-auto border-t">
              {rows.map((coupon) => (
                <CouponItem key={coupon.id} coupon={coupon} />
              ))}
            </ul>
          )
        }
      </ListState>
      {isMaking && (
        <Suspense>
          <MakeCouponDialog onClose={() => setMaking(false)} />
        </Suspense>
      )}
    </Card>
  )
}

function CouponItem({ coupon }: { coupon: Coupon }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="break-all font-mono font-semibold">{coupon.code}</span>
          <span className="tabular">{offWords(coupon)}</span>
          <Badge tone={TONES[coupon.state]}>{coupon.state}</Badge>
        </p>
        <p className="break-words text-ink-soft text-xs">
          {usesWords(coupon)}. {ordersWords(coupon)}
          {coupon.state === 'to come' && coupon.validFrom && (
            <>
              , begins <RelativeTime at={coupon.validFrom} />
            </>
          )}
          {coupon.validUntil && (
            <>
              , {coupon.state === 'ended' ? 'ended' : 'ends'}{' '}
              <RelativeTime at={coupon.validUntil} />
            </>
          )}
          {coupon.note && ` · ${coupon.note}`}
        </p>
      </div>
      <CouponActions coupon={coupon} />
    </li>
  )
}

function CouponActions({ coupon }: { coupon: Coupon }) {
  const { id, code, isOn } = coupon
  const update = useAction(api.coupons.update, {
    done: ({ isOn: isNowOn }) => ({ title: isNowOn ? 'Coupon is on' : 'Coupon is off' }),
    failed: 'The coupon was not changed',
    refresh: [api.coupons.list],
  })
  const remove = useAction(api.coupons.remove, {
    done: { title: 'Coupon deleted' },
    failed: 'The coupon was not deleted',
    refresh: [api.coupons.list],
  })
  const verb = isOn ? 'Switch off' : 'Switch on'
  return (
    <div className="flex gap-2">
      <Button
        size="sm"
        aria-label={`${verb} ${code}`}
        isPending={update.isPending}
        onClick={() => void update.run({ params: { id }, body: { isOn: !isOn } })}
      >
        {verb}
      </Button>
      {coupon.used + coupon.reserved === 0 && (
        <AskedButton
          verb="Delete"
          name={code}
          isDisabled={false}
          isPending={remove.isPending}
          act={() => remove.run({ params: { id } })}
        >
          Its code takes nothing off any more. This cannot be undone.
        </AskedButton>
      )}
    </div>
  )
}
