import clsx from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

export function Card({ className, ...props }: ComponentProps<'section'>) {
  return <section {...props} className={clsx('rounded-md border bg-card', className)} />
}

type CardHeaderProps = { title: ReactNode; description?: ReactNode; action?: ReactNode }

export function CardHeader({ title, description, action }: CardHeaderProps) {
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3 border-b px-5 py-4">
      <div className="min-w-0">
        <h2 className="text-base">{title}</h2>
        {description && <p className="mt-0.5 text-ink-soft">{description}</p>}
      </div>
      {action}
    </header>
  )
}

export function CardBody({ className, ...props }: ComponentProps<'div'>) {
  return <div {...props} className={clsx('p-5', className)} />
}
