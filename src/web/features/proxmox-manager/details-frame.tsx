import type { ReactNode } from 'react'

type DetailsFrameProps = {
  title: string
  badge?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function DetailsFrame({ title, badge, actions, children }: DetailsFrameProps) {
  return (
    <>
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 border-b px-5 py-4">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="break-words text-lg">{title}</h2>
          {badge}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      <div className="space-y-6 p-5">{children}</div>
    </>
  )
}
