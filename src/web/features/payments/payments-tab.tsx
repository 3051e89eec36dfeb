import { BillingPlansCard } from './billing-plans-card.tsx'
import { ProviderCard } from './provider-card.tsx'

/** The payment provider, whether it works, and the plans for recurring payment. */
export function PaymentsTab() {
  return (
    <div className="max-w-3xl space-y-6">
      <ProviderCard />
      <BillingPlansCard />
    </div>
  )
}
