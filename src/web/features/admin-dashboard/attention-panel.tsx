import { useQuery } from '@tanstack/react-query'
import {
  ArchiveX,
  Cable,
  ChevronRight,
  CircleCheck,
  CircleX,
  HandCoins,
  Hourglass,
  KeyRound,
  type LucideIcon,
  Network,
  PackageMinus,
  ReceiptText,
  ServerCrash,
  ServerOff,
  ShieldAlert,
  Timer,
  TriangleAlert,
} from 'lucide-react'
import { Link } from 'wouter'
import type { Attention } from '#shared/api/overview/dashboard.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { HeldRemovals } from './held-removals.tsx'
import { FailedJobs, NotUndoneJobs } from './job-entries.tsx'
import { StuckJobs } from './stuck-jobs.tsx'
import { TimeInDoubt } from './time-in-doubt.tsx'

/** Icons of the kinds that have their own; any other kind gets the common one. */
const ICONS: Partial<Record<string, LucideIcon>> = {
  'failed-jobs': CircleX,
  'stuck-jobs': Timer,
  'no-network': Network,
  'clusters-down': Cable,
  'clusters-refusing': KeyRound,
  'certificates-changed': ShieldAlert,
  'nodes-offline': ServerOff,
  'servers-failed': ServerCrash,
  'paid-orders': ReceiptText,
  'unconfirmed-orders': HandCoins,
  'tokens-expiring': Hourglass,
  'stock-low': PackageMinus,
  'backups-failed': ArchiveX,
  'backups-late': ArchiveX,
}

/** What needs attention, each with a link to the page that lists it. */
export function AttentionPanel() {
  const attention = useQuery({ ...query(api.dashboard.attention), refetchInterval: MINUTE_MS })
  return (
    <Card>
      <CardHeader
        title="Needs attention"
        action={
          <div className="-my-2">
            <QueryFreshness query={attention} />
          </div>
        }
      />
      <ListState
        query={attention}
        failure="What needs attention could not be loaded"
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
      Nothing needs attention right now.
    </p>
  )
}

function Entries({ entries }: { entries: readonly Attention[] }) {
  return (
    <ul className="divide-y">
      {entries.map(({ kind, tone, message, path }) => {
        const Icon = ICONS[kind] ?? TriangleAlert
        // Jobs have no page of their own: they are listed here.
        if (kind === 'failed-jobs') return <FailedJobs key={kind} message={message} />
        if (kind === 'time-in-doubt') return <TimeInDoubt key={kind} message={message} />
        if (kind === 'removals-held') return <HeldRemovals key={kind} message={message} />
        if (kind === 'stuck-jobs') return <StuckJobs key={kind} message={message} />
        if (kind === 'jobs-not-undone') return <NotUndoneJobs key={kind} message={message} />
        return (
          <li key={kind}>
            <Link
              href={path}
              className="flex items-center gap-3 px-5 py-3 -outline-offset-2 hover:bg-sunken"
            >
              <Icon
                aria-hidden="true"
                className={`size-4 shrink-0 ${tone === 'bad' ? 'text-bad' : 'text-warn'}`}
              />
              <span className="min-w-0 flex-1">{message}</span>
              <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
