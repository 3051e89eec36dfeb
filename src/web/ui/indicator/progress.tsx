import clsx from 'clsx'
import type { Tone } from './badge.tsx'

const FILLS: Record<Tone, string> = {
  good: 'bg-good-mark',
  bad: 'bg-bad-mark',
  warn: 'bg-warn-mark',
  idle: 'bg-idle-mark',
}

type ProgressProps = {
  /** 0 to 1. */
  value: number
  label: string
  tone?: Tone
  className?: string
}

export function Progress({ value, label, tone = 'idle', className }: ProgressProps) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className={clsx('h-1.5 overflow-hidden rounded-full bg-sunken', className)}
    >
      <div className={clsx('h-full rounded-full', FILLS[tone])} style={{ width: `${percent}%` }} />
    </div>
  )
}
