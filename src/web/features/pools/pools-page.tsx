import { useQuery } from '@tanstack/react-query'
import { MapPinned, Plus } from 'lucide-react'
import { useState } from 'react'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { PoolCard } from './pool-card.tsx'
import { PoolDialog } from './pool-dialog.tsx'
import { ProtectionCard } from './protection-card.tsx'
import { ReverseDnsCard } from './reverse-dns-card.tsx'

/** The addresses that clients get, as maps. */
export function PoolsPage() {
  const pools = useQuery(query(api.pools.list))
  const [isAdding, setAdding] = useState(false)
  return (
    <div className="space-y-5">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex flex-wrap items-center gap-x-4">
          <h2 className="text-base">Pools ({pools.data?.length ?? 0})</h2>
          <QueryFreshness query={pools} />
        </div>
        <May duty="run">
          <Button variant="primary" onClick={() => setAdding(true)}>
            <Plus aria-hidden="true" className="size-4" />
            Add Pool
          </Button>
        </May>
      </header>
      <ProtectionCard />
      <ReverseDnsCard />
      <ListState query={pools} failure="The pools could not be loaded">
        {(list) =>
          list.length === 0 ? (
            <Card>
              <EmptyState icon={MapPinned} title="No pools yet">
                Add the network of a cluster and the ranges that are free for clients. Nothing can
                be sold without one.
              </EmptyState>
            </Card>
          ) : (
            list.map((pool) => <PoolCard key={pool.id} pool={pool} />)
          )
        }
      </ListState>
      {isAdding && <PoolDialog onClose={() => setAdding(false)} />}
    </div>
  )
}
