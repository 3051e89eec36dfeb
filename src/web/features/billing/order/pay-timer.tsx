import { timeLeft } from '../../../lib/format/time.ts'

const two = (value: number) => String(value).padStart(2, '0')

type PayTimerProps = { until: number; now: number }

/** How long an order still waits; announces only the end. */
export function PayTimer({ until, now }: PayTimerProps) {
  if (until <= now) return <span role="status">the time to pay is over</span>
  const { days, hours, minutes, seconds } = timeLeft(until, now)
  const hoursLeft = days * 24 + hours
  return (
    <span role="timer" aria-live="off" className="whitespace-nowrap">
      <span className="tabular font-mono">
        {hoursLeft > 0 ? `${hoursLeft}:${two(minutes)}` : minutes}:{two(seconds)}
      </span>{' '}
      left to pay
    </span>
  )
}
