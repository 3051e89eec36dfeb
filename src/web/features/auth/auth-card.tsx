import type { ReactNode } from 'react'

type AuthCardProps = { title: string; lead: ReactNode; children: ReactNode; footer?: ReactNode }

export function AuthCard({ title, lead, children, footer }: AuthCardProps) {
  return (
    <div className="mx-auto max-w-md px-4 py-14 sm:py-20">
      <h1 className="text-xl">{title}</h1>
      <div className="mt-2 text-base text-ink-soft">{lead}</div>
      <div className="mt-8">{children}</div>
      {footer && <div className="mt-8 space-y-2 border-t pt-6 text-ink-soft">{footer}</div>}
    </div>
  )
}
