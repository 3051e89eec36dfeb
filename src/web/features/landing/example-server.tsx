import { useState } from 'react'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { useNow } from '../../lib/format/time.ts'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Progress } from '../../ui/indicator/progress.tsx'
import { Countdown } from '../../widgets/time/countdown.tsx'

const LEFT = 23.6 * DAY_MS
const PERIOD = 30 * DAY_MS

const FACTS: readonly [term: string, fact: string][] = [
  ['Address', '203.0.113.24'],
  ['Size', '2 CPU · 4 GB RAM · 80 GB SSD'],
  ['System', 'Debian 12'],
]

/** A server card as the dashboard shows it, as a picture of the product. */
export function ExampleServer() {
  const [until] = useState(() => Date.now() + LEFT)
  const now = useNow(1000)
  return (
    <div
      role="img"
      aria-label="An example of a server: running, with its address, its size, the time left and its console"
      className="min-w-0 rounded-md border bg-card"
    >
      <div className="flex items-center justify-between gap-4 border-b px-5 py-4">
        <span className="font-semibold text-base">quiet-harbour</span>
        <Badge tone="good" hasMark>
          Running
        </Badge>
      </div>
      <dl className="divide-y px-5">
        {FACTS.map(([term, fact]) => (
          <div key={term} className="flex justify-between gap-6 py-2.5">
            <dt className="text-ink-soft">{term}</dt>
            <dd className="text-right font-mono">{fact}</dd>
          </div>
        ))}
      </dl>
      <div className="border-t px-5 py-4">
        <p className="mb-2.5 flex justify-between gap-6">
          <span className="text-ink-soft">Time left</span>
          <Countdown until={until} now={now} />
        </p>
        <Progress value={LEFT / PERIOD} label="Time left" />
      </div>
      <Terminal />
    </div>
  )
}

function Terminal() {
  return (
    <div className="m-2 overflow-hidden rounded-sm bg-screen p-4 font-mono text-screen-ink text-xs leading-5">
      <p>
        <span className="text-screen-soft">you@laptop:~$</span> ssh debian@203.0.113.24
      </p>
      <p className="text-screen-soft">Linux quiet-harbour 6.1.0 x86_64</p>
      <p>
        <span className="text-screen-soft">debian@quiet-harbour:~$</span> uptime -p
      </p>
      <p>up 6 days, 9 hours, 36 minutes</p>
      <p>
        <span className="text-screen-soft">debian@quiet-harbour:~$</span>{' '}
        <span className="inline-block h-4 w-2 translate-y-0.5 animate-pulse bg-screen-ink" />
      </p>
    </div>
  )
}
