import clsx from 'clsx'
import type { ComponentProps } from 'react'
import { controlClass } from './input.tsx'

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea rows={4} {...props} className={clsx(controlClass, 'py-2', className)} />
}
