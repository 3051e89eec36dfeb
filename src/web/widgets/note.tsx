import clsx from 'clsx'
import { CircleAlert, Info } from 'lucide-react'
import type { ReactNode } from 'react'

type NoteProps = { tone?: 'plain' | 'bad' | 'warn'; children: ReactNode; className?: string }

const LOOKS = {
  plain: 'bg-sunken text-ink',
  warn: 'border-warn-mark bg-warn-soft text-warn',
  bad: 'border-bad-mark bg-bad-soft text-bad',
}

/** A sentence that belongs to what stands around it; a bad one is read out at once. */
export function Note({ tone = 'plain', children, className }: NoteProps) {
  const Icon = tone === 'plain' ? Info : CircleAlert
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
