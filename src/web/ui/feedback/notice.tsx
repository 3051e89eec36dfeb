import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

const TONES = {
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  idle: 'bg-sunken text-ink',
}

type NoticeProps = {
  tone: keyof typeof TONES
  icon: LucideIcon
  title: string
  children: ReactNode
  action?: ReactNode
}

/** A band across a card: what is wrong, and what to do. */
export function Notice({ tone, icon: Icon, title, children, action }: NoticeProps) {
  return (
    <div
      className={clsx(
        'flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-5 py-4 not-last:border-b',
        TONES[tone],
      )}
    >
      <div className="flex min-w-0 flex-1 basis-64 gap-3">
        <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        <div className="min-w-0">
          <p className="font-semibold">{title}</p>
          <p className="mt-0.5 max-w-3xl">{children}</p>
        </div>
      </div>
      {action}
    </div>
  )
}
