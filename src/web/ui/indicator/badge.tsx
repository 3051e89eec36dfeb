import clsx from 'clsx'
import type { ReactNode } from 'react'

const TONES = {
  good: ['bg-good-soft text-good', 'bg-good-mark'],
  bad: ['bg-bad-soft text-bad', 'bg-bad-mark'],
  warn: ['bg-warn-soft text-warn', 'bg-warn-mark'],
  idle: ['bg-sunken text-ink-soft', 'bg-idle-mark'],
} as const

export type Tone = keyof typeof TONES

type BadgeProps = {
  tone?: Tone
  /** A dot before the label, for states. */
  hasMark?: boolean
  children: ReactNode
  className?: string
}

/** A label in a tone; the tone is never the only sign. */
export function Badge({ tone = 'idle', hasMark = false, children, className }: BadgeProps) {
  const [colours, mark] = TONES[tone]
  return (
    <span
      className={clsx(
        'inline-flex h-6 items-center gap-1.5 whitespace-nowrap rounded-sm px-2 font-semibold text-xs',
        colours,
        className,
      )}
    >
      {hasMark && <span aria-hidden="true" className={clsx('size-2 rounded-full', mark)} />}
      {children}
    </span>
  )
}
