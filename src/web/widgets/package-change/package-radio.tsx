import { useId } from 'react'
import type { PackageChoice } from '#shared/api/shop/package-change.ts'
import { priceText } from '../../lib/format/price.ts'
import { sizeText } from '../../lib/format/size-text.ts'

type PackageRadioProps = {
  packages: readonly PackageChoice[]
  value: string | undefined
  onChange: (id: string) => void
}

/** The packages on sale; one that cannot be had says why. */
export function PackageRadio({ packages, value, onChange }: PackageRadioProps) {
  const name = useId()
  return (
    <fieldset>
      <legend className="mb-2 font-semibold">Package</legend>
      <div className="grid gap-2">
        {packages.map(({ id, name: title, price, size, refusal }) => (
          <label
            key={id}
            className="flex min-h-11 cursor-pointer items-start gap-3 rounded-sm border px-3 py-2 has-disabled:cursor-not-allowed has-checked:border-accent"
          >
            <input
              type="radio"
              name={name}
              value={id}
              checked={id === value}
              disabled={refusal !== null}
              onChange={() => onChange(id)}
              className="mt-0.5 size-4 accent-accent"
            />
            <span className="min-w-0 flex-1 break-words">
              <span className={refusal === null ? 'font-semibold' : 'text-ink-soft'}>{title}</span>
              <span className="block text-ink-soft">{sizeText(size)}</span>
              {refusal !== null && <span className="block text-ink-soft text-xs">{refusal}</span>}
            </span>
            <span className="tabular">{priceText(price)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
