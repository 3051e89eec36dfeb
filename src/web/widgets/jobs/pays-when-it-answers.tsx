import { timeLeft } from '../../lib/format/time.ts'
import { useServerNow } from '../time/use-server-now.ts'

const two = (value: number) => String(value).padStart(2, '0')

/** What a client waits for, and how long already; nothing is charged before. */
export function PaysWhenItAnswers({ since }: { since: string }) {
  const now = useServerNow(1000)
  const { hours, minutes, seconds } = timeLeft(now, Date.parse(since))
  return (
    <>
      You pay when your server answers.{' '}
      <span role="timer" aria-live="off" className="tabular font-mono">
        {hours > 0 && `${hours}:`}
        {two(minutes)}:{two(seconds)}
      </span>
    </>
  )
}
