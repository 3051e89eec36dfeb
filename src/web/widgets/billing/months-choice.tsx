import { useId } from 'react'
import { priceText } from '../../lib/format/price.ts'
import { daysText } from '../../lib/format/time-words.ts'

type MonthsOffer = {
  months: number
  days: number
  price: string
  /** Less than so many single months. */
  percent: number
}

type MonthsChoiceProps = {
  offers: readonly MonthsOffer[]
  value: number
  onChange: (months: number) => void
}

/** How much time to buy at once; nothing where there is only one choice. */
export function MonthsChoice({ offers, value, onChange }: MonthsChoiceProps) {
  const name = useId()
  if (offers.length < 2) return null
  return (
    <fieldset className="mb-4">
      <legend className="mb-2 font-semibold text-ink">For how long</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {offers.map(({ months, days, price, percent }) => (
          <label
            key={months}
            className="flex min-h-11 cursor-pointer items-center gap-3 rounded-sm border px-3 py-2 text-ink has-checked:border-accent"
          >
            <input
              type="radio"
              name={name}
              value={months}
              checked={months === value}
              onChange={() => onChange(months)}
              className="size-4 accent-accent"
            />
            <span className="min-w-0 flex-1">
              {daysText(days)}
              {percent > 0 && <span className="block text-good text-xs">{percent}% less</span>}
            </span>
            <span className="tabular font-semibold">{priceText(price)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
