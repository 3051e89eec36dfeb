import clsx from 'clsx'
import { Check } from 'lucide-react'
import type { ComponentProps } from 'react'

type CheckboxProps = Omit<ComponentProps<'input'>, 'type'>

export function Checkbox({ className, ...props }: CheckboxProps) {
  return (
    <span
      className={clsx(
        'relative inline-flex size-6 shrink-0 items-center justify-center',
        className,
      )}
    >
      <input
        {...props}
        type="checkbox"
        className={clsx(
          'peer size-5 appearance-none rounded-sm border border-line-strong bg-card',
          'checked:border-ink checked:bg-ink aria-invalid:border-bad-mark disabled:opacity-55',
        )}
      />
      <Check
        aria-hidden="true"
        strokeWidth={3}
        className="pointer-events-none absolute size-3.5 text-card opacity-0 peer-checked:opacity-100"
      />
    </span>
  )
}
