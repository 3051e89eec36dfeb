import { Search } from 'lucide-react'
import { Input } from '../../ui/form/input.tsx'

type SearchFieldProps = {
  label: string
  placeholder: string
  value: string
  onChange: (text: string) => void
  className?: string
}

export function SearchField({
  label,
  placeholder,
  value,
  onChange,
  className = 'w-full sm:w-72',
}: SearchFieldProps) {
  return (
    <div className={`relative ${className}`}>
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-3 left-3 size-4 text-ink-soft"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        className="pl-9"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  )
}
