import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'

type PackagesChoiceProps = {
  value: readonly string[]
  onChange: (packageIds: string[]) => void
  error: string | undefined
}

/** The packages that a coupon is for; none chosen: all of them. */
export function PackagesChoice({ value, onChange, error }: PackagesChoiceProps) {
  const choice = useId()
  const { data: packages = [] } = useQuery(query(api.packages.list))
  if (packages.length === 0) return null
  const toggle = (id: string) =>
    onChange(value.includes(id) ? value.filter((one) => one !== id) : [...value, id])
  return (
    <fieldset>
      <legend className="mb-1.5 font-semibold">Only for these packages (optional)</legend>
      <div className="flex max-h-36 flex-wrap gap-x-5 gap-y-1 overflow-y-auto">
        {packages.map(({ id, name }) => (
          <div key={id} className="flex min-h-8 items-center gap-2">
            <Checkbox
              id={`${choice}-${id}`}
              checked={value.includes(id)}
              onChange={() => toggle(id)}
            />
            <label htmlFor={`${choice}-${id}`} className="break-words">
              {name}
            </label>
          </div>
        ))}
      </div>
      <p className={`mt-1.5 text-sm ${error ? 'text-bad' : 'text-ink-soft'}`}>
        {error ?? 'With none chosen it is for all, and for servers of the marketplace.'}
      </p>
    </fieldset>
  )
}
