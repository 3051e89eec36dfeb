import clsx from 'clsx'
import type { ComponentProps } from 'react'

type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'role'>

/** On or off, with immediate effect. */
export function Switch({ className, ...props }: SwitchProps) {
  return (
    <span className={clsx('relative inline-flex h-6 w-10 shrink-0 items-center', className)}>
      <input
        {...props}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: the checkbox itself tells whether it is on
        role="switch"
        className={clsx(
          'peer h-6 w-10 appearance-none rounded-full border border-line-strong bg-sunken transition-colors',
          'checked:border-ink checked:bg-ink disabled:opacity-55',
        )}
      />
      <span
        aria-hidden="true"
        className={clsx(
          'pointer-events-none absolute left-1 size-4 rounded-full bg-line-strong transition-transform',
          'peer-checked:translate-x-4 peer-checked:bg-card',
        )}
      />
    </span>
  )
}
