import { useQuery } from '@tanstack/react-query'
import {
  Cable,
  ChevronRight,
  CircleCheck,
  CircleX,
  Hourglass,
  type LucideIcon,
  PackageMinus,
  ReceiptText,
  ServerOff,
} from 'lucide-react'
import { Link } from 'wouter'
import type { Attention } from '#shared/api/dashboard.ts'
import { MINUTE_MS } from '#shared/rules/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ListState } from '../../widgets/list-state.tsx'
import { QueryFreshness } from '../../widgets/query-freshness.tsx'
import { FailedJobs } from './failed-jobs.tsx'

const ICONS: Record<Attention['kind'], [icon: LucideIcon, colour: string]> = {
  'failed-jobs': [CircleX, 'text-bad'],
  'clusters-down': [Cable, 'text-bad'],
  'nodes-offline': [ServerOff, 'text-bad'],
  'paid-orders': [ReceiptText, 'text-warn'],
  'tokens-expiring': [Hourglass, 'text-warn'],
  'stock-low': [PackageMinus, 'text-warn'],
}

/** What needs a hand, the way to it one press away. */
export function AttentionPanel() {
  const attention = useQuery({ ...query(api.dashboard.attention), refetchInterval: MINUTE_MS })
  return (
    <Card>
      <CardHeader
        title="Needs a hand"
        action={
          <div className="-my-2">
            <QueryFreshness query={attention} />
          </div>
        }
      />
      <ListState
        query={attention}
        failure="What needs a hand could not be loaded"
        skeleton={<Skeleton className="m-5 h-10" />}
      >
        {(list) => (list.length === 0 ? <Nothing /> : <Entries entries={list} />)}
      </ListState>
    </Card>
  )
}

function Nothing() {
  return (
    <p className="flex items-center gap-2.5 px-5 py-4">
      <CircleCheck aria-hidden="true" className="size-4 shrink-0 text-good" />
      Nothing needs a hand right now.
    </p>
  )
}

function Entries({ entries }: { entries: readonly Attention[] }) {
  return (
    <ul className="divide-y">
      {entries.map(({ kind, message, path }) => {
        const [Icon, colour] = ICONS[kind]
        if (kind === 'failed-jobs') return <FailedJobs key={kind} message={message} />
        return (
          <li key={kind}>
            <Link
              href={path}
              className="flex items-center gap-3 px-5 py-3 -outline-offset-2 hover:bg-sunken"
            >
              <Icon aria-hidden="true" className={`size-4 shrink-0 ${colour}`} />
              <span className="min-w-0 flex-1">{message}</span>
              <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
