import type { MadeWith } from '#shared/rules/token/given-by-hand.ts'
import { notAppliedWords } from '../../lib/billing/not-applied.ts'
import { actionWords } from '../../lib/format/action-words.ts'
import { exactTime } from '../../lib/format/time.ts'

type Moment = {
  id: number
  at: string
  action: string
  by: 'you' | 'client' | 'admin' | 'operator' | 'system'
  /** More about it, in a sentence. */
  detail?: string | undefined
  /** Of a server that was set up by hand. */
  notApplied?: readonly MadeWith[] | undefined
}

const BY: Record<Moment['by'], string> = {
  you: 'by you',
  client: 'by the client',
  admin: 'by an administrator',
  operator: 'by an operator',
  system: 'automatically',
}

/** Events, newest first; given oldest first. */
export function Moments({ events }: { events: readonly Moment[] }) {
  if (events.length === 0) return <p className="text-ink-soft">Nothing happened yet.</p>
  return (
    <ol className="space-y-4 border-l pl-5">
      {events.toReversed().map((event) => (
        <li key={event.id} className="relative">
          <span
            aria-hidden="true"
            className="absolute top-1.5 -left-[1.5625rem] size-2.5 rounded-full border-2 border-line-strong bg-card"
          />
          <p className="font-semibold">{actionWords(event.action)}</p>
          <Detail event={event} />
          <p className="text-ink-soft text-xs">
            <time dateTime={event.at}>{exactTime(new Date(event.at))}</time>, {BY[event.by]}
          </p>
        </li>
      ))}
    </ol>
  )
}

function Detail({ event }: { event: Moment }) {
  const text = event.detail ?? notAppliedWords(event.notApplied)
  return text && <p className="break-words">{text}</p>
}
