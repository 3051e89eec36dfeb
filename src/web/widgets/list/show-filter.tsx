import { X } from 'lucide-react'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { Button } from '../../ui/form/button.tsx'

/**
 * The part of a list that an address selects (`?show=offline`), as the rows of "Needs attention"
 * do. An unknown value shows everything.
 */
export function useShow<K extends string>(words: Record<K, string>) {
  const [value, setValue] = useSearchParam('show')
  const show = (Object.keys(words) as K[]).find((key) => key === value)
  return {
    show,
    chip: show && <FilterChip label={words[show]} onClear={() => setValue('')} />,
  }
}

/** Names the active filter of a list; a click removes it. */
export function FilterChip({ label, onClear }: { label: string; onClear: () => void }) {
  return (
    <Button size="sm" onClick={onClear}>
      {label}
      <X aria-hidden="true" className="size-3.5" />
      <span className="sr-only">Show all</span>
    </Button>
  )
}
