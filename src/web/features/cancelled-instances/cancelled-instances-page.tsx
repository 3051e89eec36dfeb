import { useQuery } from '@tanstack/react-query'
import { Ban } from 'lucide-react'
import type { Token } from '#shared/api/shop/tokens.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { LongTable } from '../../widgets/list/long-table.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { CANCELLED_COLUMNS } from './cancelled-columns.tsx'

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
      columns={CANCELLED_COLUMNS}
      rows={tokens}
      rowKey={({ id }) => id}
    />
  )
}
