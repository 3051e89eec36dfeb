import { timeLeft, useNow } from '../lib/time.ts'

const two = (value: number) => String(value).padStart(2, '0')

/** Ticks every second down to a moment. */
export function Countdown({ until }: { until: number }) {
  const { days, hours, minutes, seconds } = timeLeft(until, useNow(1000))
  return (
    <span role="timer" className="tabular font-mono">
      {days}d {two(hours)}:{two(minutes)}:{two(seconds)}
    </span>
  )
}
