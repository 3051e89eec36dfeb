import { useQuery } from '@tanstack/react-query'
import { Ban } from 'lucide-react'
import type { Token } from '#shared/api/tokens.ts'
import { expiryOf } from '#shared/rules/token-expiry.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { calendarDay } from '../../lib/format/time.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card } from '../../ui/layout/card.tsx'
import type { Column } from '../../ui/layout/table.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { LongTable } from '../../widgets/list/long-table.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { CancelledActions } from './cancelled-actions.tsx'

/** Tokens that were withdrawn, given up or ended. */
export function CancelledInstancesPage() {
  const tokens = useQuery({ ...query(api.tokens.cancelled), staleTime: 0 })
  return (
    <Card>
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 border-b py-1 pr-2 pl-5">
        <h2 className="flex items-center gap-2 text-base">
          Cancelled Instances
          {tokens.data && <Badge>{tokens.data.length}</Badge>}
        </h2>
        <QueryFreshness query={tokens} />
      </div>
      <ListState query={tokens} failure="The cancelled instances could not be loaded">
        {(list) => <CancelledTable tokens={list} />}
      </ListState>
    </Card>
  )
}

function CancelledTable({ tokens }: { tokens: readonly Token[] }) {
  if (tokens.length === 0) {
    return (
      <EmptyState icon={Ban} title="No Cancelled Instances">
        Tokens that are deleted, given up or ended appear here.
      </EmptyState>
    )
  }
  return (
    <LongTable
      label="Cancelled Instances"
      columns={COLUMNS}
      rows={tokens}
      rowKey={({ id }) => id}
    />
  )
}

const day = (at: Date | undefined): string => (at ? calendarDay(at) : '–')

const COLUMNS: readonly Column<Token>[] = [
  {
    title: 'Token',
    isBare: true,
    cell: (token) => (
      <>
        <span className="break-words font-semibold">{token.name}</span>
        <span className="block break-all font-mono text-ink-soft text-xs">{token.tokenId}</span>
      </>
    ),
  },
  {
    title: 'VM ID',
    cell: ({ proxmoxVmId }) => <span className="font-mono">{proxmoxVmId ?? 'None'}</span>,
  },
  {
    title: 'IP address',
    cell: ({ ipAddress }) => <span className="font-mono">{ipAddress ?? '–'}</span>,
  },
  { title: 'OS', cell: ({ osType }) => osType },
  {
    title: 'Sold',
    cell: ({ assignedAt }) =>
      assignedAt ? (
        <span className="whitespace-nowrap">{calendarDay(new Date(assignedAt))}</span>
      ) : (
        'Never'
      ),
  },
  {
    title: 'Paid until',
    cell: (token) => <span className="whitespace-nowrap">{day(expiryOf(token))}</span>,
  },
  {
    title: 'Actions',
    isEnd: true,
    isBare: true,
    cell: (token) => <CancelledActions token={token} />,
  },
]
