import clsx from 'clsx'
import { CircleAlert, CircleCheck, Info } from 'lucide-react'
import type { ReactNode } from 'react'

type NoteProps = {
  tone?: 'plain' | 'good' | 'bad' | 'warn'
  children: ReactNode
  className?: string
}

const LOOKS = {
  plain: 'bg-sunken text-ink',
  good: 'border-good-mark bg-good-soft text-good',
  warn: 'border-warn-mark bg-warn-soft text-warn',
  bad: 'border-bad-mark bg-bad-soft text-bad',
}

const ICONS = { plain: Info, good: CircleCheck, warn: CircleAlert, bad: CircleAlert }

/** A sentence about its surroundings; a bad one is announced at once. */
export function Note({ tone = 'plain', children, className }: NoteProps) {
  const Icon = ICONS[tone]
  return (
    <div
      role={tone === 'bad' ? 'alert' : undefined}
      className={clsx('flex gap-2.5 rounded-md border px-3.5 py-3', LOOKS[tone], className)}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 break-words">{children}</div>
    </div>
  )
}
