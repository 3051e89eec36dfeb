import clsx from 'clsx'
import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { controlClass } from './input.tsx'

type SelectProps = ComponentProps<'select'> & {
  options: readonly { value: string; label: string; disabled?: boolean }[]
}

/** The browser's own list: the best choice on a phone and for a screen reader. */
export function Select({ options, className, ...props }: SelectProps) {
  return (
    <span className={clsx('relative block', className)}>
      <select {...props} className={clsx(controlClass, 'h-10 appearance-none pr-9')}>
        {options.map(({ value, label, disabled }) => (
          <option key={value} value={value} disabled={disabled}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-ink-soft"
      />
    </span>
  )
}
