import { useId } from 'react'
import { Outages, useWaysToPay } from './ways-to-pay.tsx'

type PaymentChoiceProps = { value: string | undefined; onChange: (way: string) => void }

/** The ways to pay, one of which is chosen; nothing where there is only one. */
export function PaymentChoice({ value, onChange }: PaymentChoiceProps) {
  const name = useId()
  const { ways, outages } = useWaysToPay()
  if (ways.length + outages.length < 2) return null
  const chosen = ways.some(({ id }) => id === value) ? value : ways[0]?.id
  return (
    <div className="mb-4 space-y-3">
      <fieldset>
        <legend className="mb-2 font-semibold text-ink">Pay by</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {ways.map((way) => (
            <label
              key={way.id}
              className="flex min-h-11 cursor-pointer items-center gap-3 rounded-sm border px-3 py-2 text-ink has-checked:border-accent"
            >
              <input
                type="radio"
                name={name}
                value={way.id}
                checked={way.id === chosen}
                onChange={() => onChange(way.id)}
                className="size-4 accent-accent"
              />
              {way.name}
            </label>
          ))}
        </div>
      </fieldset>
      <Outages outages={outages} />
    </div>
  )
}
