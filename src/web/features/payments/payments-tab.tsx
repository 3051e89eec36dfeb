import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Later } from '../../ui/indicator/later.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { ProviderCard } from './provider-card.tsx'

const BillingPlansCard = lazyPage(() => import('./billing-plans-card.tsx'), 'BillingPlansCard')
const SetupCard = lazyPage(() => import('./setup/setup-card.tsx'), 'SetupCard')
const WaysCard = lazyPage(() => import('./ways-card.tsx'), 'WaysCard')
const DiscountsCard = lazyPage(() => import('./discounts-card.tsx'), 'DiscountsCard')
const VouchersCard = lazyPage(() => import('./vouchers/vouchers-card.tsx'), 'VouchersCard')
const CouponsCard = lazyPage(() => import('./coupons/coupons-card.tsx'), 'CouponsCard')

/** The payment providers and their keys, the ways to pay, discounts, vouchers, coupons, and the plans for recurring payment. */
export function PaymentsTab() {
  return (
    <div className="max-w-3xl space-y-6">
      <ProviderCard />
      <May duty="own">
        <Later className="h-40">
          <SetupCard />
        </Later>
      </May>
      <May duty="own">
        <Later className="h-40">
          <WaysCard />
        </Later>
      </May>
      <Later className="h-40">
        <DiscountsCard />
      </Later>
      <Later className="h-40">
        <VouchersCard />
      </Later>
      <Later className="h-40">
        <CouponsCard />
      </Later>
      <Later className="h-40">
        <BillingPlansCard />
      </Later>
    </div>
  )
}
