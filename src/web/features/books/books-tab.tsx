import { LedgerCard } from './ledger-card.tsx'
import { PaymentList } from './payment-list.tsx'
import { SellerCard } from './seller-card.tsx'

/** Every payment, the ledger for the accountant, and what receipts say of the operator. */
export function BooksTab() {
  return (
    <div className="space-y-6">
      <PaymentList />
      <div className="max-w-3xl space-y-6">
        <LedgerCard />
        <SellerCard />
      </div>
    </div>
  )
}
