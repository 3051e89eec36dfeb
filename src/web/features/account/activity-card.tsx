import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import type { Activity } from '#shared/api/people/account.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { actionWords } from '../../lib/format/action-words.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { CardList } from '../../widgets/list/card-list.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'

const BY: Record<Activity['by'], string> = {
  you: 'You',
  admin: 'An administrator',
  system: 'The system',
}

function byWords({ action, by, server }: Activity): string {
  if (action === 'auth.login-failed') return 'Somebody with a wrong password or code'
  return server === null ? BY[by] : `${server}, by the operator`
}

/** What happened to the account: an unfamiliar entry means that it is time for a new password. */
export function ActivityCard() {
  const activity = useQuery(query(api.account.activity))
  return (
    <Card>
      <CardHeader
        title="Activity"
        description="Security events of this account, and what an operator did to your servers. Newest first."
      />
      <CardList
        query={activity}
        failure="Your activity could not be loaded"
        empty={<EmptyState icon={History} title="Nothing has happened yet" />}
      >
        {(event) => (
          <li key={event.id} className="flex items-baseline justify-between gap-4 py-3">
            <span>
              {actionWords(event.action)}
              {event.times > 1 && ` (${event.times} times within the hour)`}
              <span className="block text-ink-soft text-xs">{byWords(event)}</span>
            </span>
            <span className="shrink-0 text-ink-soft text-xs">
              <RelativeTime at={event.at} />
            </span>
          </li>
        )}
      </CardList>
    </Card>
  )
}
