import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

type EmptyStateProps = {
  icon?: LucideIcon
  title: string
  children?: ReactNode
  action?: ReactNode
}

/** An empty list, and the next step. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      {Icon && <Icon aria-hidden="true" strokeWidth={1.5} className="mb-4 size-8 text-ink-soft" />}
      <p className="font-semibold text-base">{title}</p>
      {children && <div className="mt-1 max-w-md text-ink-soft">{children}</div>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  )
}
