import { useQuery } from '@tanstack/react-query'
import type { TokenEvent } from '#shared/api/tokens.ts'
import { query } from '../api/query.ts'
import { api } from '../api/table.ts'
import { actionWords } from '../lib/action-words.ts'
import { exactTime } from '../lib/time.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ListState } from './list-state.tsx'

type TimelineProps = { token: { id: number; name: string }; onClose: () => void }

/** What happened to a token, newest first. */
export function TokenTimelineDialog({ token, onClose }: TimelineProps) {
  const timeline = useQuery({
    ...query(api.tokens.timeline, { params: { id: token.id } }),
    staleTime: 0,
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="History"
      description={token.name}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <ListState query={timeline} failure="The history could not be loaded">
        {(events) => <Moments events={events} />}
      </ListState>
    </Dialog>
  )
}

function Moments({ events }: { events: readonly TokenEvent[] }) {
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
          <p className="text-ink-soft text-xs">
            <time dateTime={event.at}>{exactTime(new Date(event.at))}</time>, {BY[event.by]}
          </p>
        </li>
      ))}
    </ol>
  )
}

const BY: Record<TokenEvent['by'], string> = {
  you: 'by you',
  client: 'by the client',
  admin: 'by an administrator',
  system: 'automatically',
}
