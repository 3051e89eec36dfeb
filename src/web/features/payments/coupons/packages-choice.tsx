import { useQuery } from '@tanstack/react-query'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { CheckboxList } from '../../../ui/form/checkbox-list.tsx'

type PackagesChoiceProps = {
  value: readonly string[]
  onChange: (packageIds: string[]) => void
  error: string | undefined
}

/** The packages that a coupon is for; none chosen: all of them. */
export function PackagesChoice({ value, onChange, error }: PackagesChoiceProps) {
  const { data: packages = [] } = useQuery(query(api.packages.list))
  if (packages.length === 0) return null
  return (
    <CheckboxList
      legend="Only for these packages (optional)"
      hint="With none chosen it is for all, and for servers of the marketplace."
      error={error}
      options={packages.map(({ id, name }) => ({ value: id, words: name }))}
      chosen={value}
      onChange={onChange}
      className="max-h-36 overflow-y-auto"
    />
  )
}
