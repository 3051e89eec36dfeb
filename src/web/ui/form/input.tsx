import clsx from 'clsx'
import type { ComponentProps } from 'react'

/** Shared by all one-line controls. */
export const controlClass = clsx(
  'w-full rounded-md border border-line-strong bg-card px-3 text-base text-ink sm:text-sm',
  'aria-invalid:border-bad-mark disabled:bg-sunken disabled:text-ink-soft',
)

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input {...props} className={clsx(controlClass, 'h-10', className)} />
}
