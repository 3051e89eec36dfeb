import clsx from 'clsx'
import { timeLeft } from '../../lib/format/time.ts'
import { timeAnnouncement } from '../../lib/format/time-words.ts'

const two = (value: number) => String(value).padStart(2, '0')

type CountdownProps = { until: number; now: number; className?: string }

/** The time until a moment, to the second. Announces only 7 days, 1 day and 1 hour. */
export function Countdown({ until, now, className }: CountdownProps) {
  const { days, hours, minutes, seconds } = timeLeft(until, now)
  return (
    <>
      <span role="timer" aria-live="off" className={clsx('tabular font-mono', className)}>
        {days}d {two(hours)}:{two(minutes)}:{two(seconds)}
      </span>
      <span role="status" className="sr-only">
        {timeAnnouncement(until - now)}
      </span>
    </>
  )
}
