import { useQuery } from '@tanstack/react-query'
import { Cable, Plus } from 'lucide-react'
import { useState } from 'react'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Table } from '../../ui/layout/table.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { useShow } from '../../widgets/list/show-filter.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { AddClusterDialog } from './add-cluster-dialog.tsx'
import { CLUSTER_COLUMNS } from './cluster-columns.tsx'

const SHOWN = {
  problems: 'Only clusters with problems',
}

/** The rows that a filter shows, as "Needs attention" counts them. */
const PASSES: Record<keyof typeof SHOWN, (cluster: Cluster) => boolean> = {
  problems: ({ problem }) => problem !== null,
}

export function ClustersPage() {
  const clusters = useQuery({ ...query(api.clusters.list), refetchInterval: MINUTE_MS })
  const [isAdding, setAdding] = useState(false)
  const { show, chip } = useShow(SHOWN)
  const add = (
    <May duty="run">
      <Button variant="primary" onClick={() => setAdding(true)}>
        <Plus aria-hidden="true" className="size-4" />
        Add Cluster
      </Button>
    </May>
  )
  return (
    <Card>
      <header className="flex flex-wrap items-center justify-between gap-3 border-b px-5 py-3">
        <div className="flex flex-wrap items-center gap-x-4">
          <h2 className="text-base">Connected Clusters ({clusters.data?.length ?? 0})</h2>
          <QueryFreshness query={clusters} />
          {chip}
        </div>
        {add}
      </header>
      <ListState query={clusters} failure="The clusters could not be loaded">
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={Cable} title="No clusters connected yet">
              Add a Proxmox VE cluster to see its nodes, templates and instances here. An API token
              with its own role is enough; the dialog says what it needs.
            </EmptyState>
          ) : (
            <Table
              label="Connected Clusters"
              columns={CLUSTER_COLUMNS}
              rows={show ? list.filter(PASSES[show]) : list}
              rowKey={({ id }) => id}
            />
          )
        }
      </ListState>
      {isAdding && <AddClusterDialog onClose={() => setAdding(false)} />}
    </Card>
  )
}
