import { PaymentState } from '#shared/api/money/payments.ts'
import { PAYMENT_WORDS, providerWords } from '../../lib/billing/payment-words.ts'
import { Select } from '../../ui/form/select.tsx'
import { PeriodFields } from '../../widgets/list/period-fields.tsx'
import { SearchField } from '../../widgets/list/search-field.tsx'
import type { PaymentView } from './payment-view.ts'

type PaymentFiltersProps = {
  view: PaymentView
  providers: readonly string[]
  onChange: (next: Partial<PaymentView>) => void
}

export function PaymentFilters({ view, providers, onChange }: PaymentFiltersProps) {
  const known =
    view.provider && !providers.includes(view.provider) ? [view.provider, ...providers] : providers
  return (
    <div className="flex flex-wrap items-center gap-3 border-b px-5 py-3">
      <SearchField
        label="Search payments"
        placeholder="Order number or reference"
        value={view.q ?? ''}
        onChange={(text) => onChange({ q: text || undefined })}
      />
      <Select
        aria-label="Provider"
        className="w-full sm:w-56"
        value={view.provider ?? ''}
        options={[
          { value: '', label: 'All providers' },
          ...known.map((name) => ({ value: name, label: providerWords(name) })),
        ]}
        onChange={({ target }) => onChange({ provider: target.value || undefined })}
      />
      <Select
        aria-label="State"
        className="w-full sm:w-40"
        value={view.state ?? ''}
        options={[
          { value: '', label: 'All states' },
          ...PaymentState.options.map((state) => ({ value: state, label: PAYMENT_WORDS[state] })),
        ]}
        onChange={({ target }) => onChange({ state: PaymentState.safeParse(target.value).data })}
      />
      <PeriodFields id="payments" days={view} onChange={onChange} />
    </div>
  )
}
