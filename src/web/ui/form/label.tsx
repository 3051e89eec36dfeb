import clsx from 'clsx'
import type { ComponentProps } from 'react'

export function Label({ className, children, ...props }: ComponentProps<'label'>) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the caller binds it with htmlFor or wraps the control
    <label {...props} className={clsx('font-semibold text-sm', className)}>
      {children}
    </label>
  )
}
