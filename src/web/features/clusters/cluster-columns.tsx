import type { Cluster } from '#shared/api/servers/clusters.ts'
import { Badge } from '../../ui/indicator/badge.tsx'
import type { Column } from '../../ui/layout/table.tsx'
import { RelativeTime } from '../../widgets/time/relative-time.tsx'
import { ClusterActions } from './cluster-actions.tsx'

export const CLUSTER_COLUMNS: readonly Column<Cluster>[] = [
  { title: 'Cluster', isBare: true, cell: (cluster) => <Name cluster={cluster} /> },
  { title: 'Status', cell: (cluster) => <Status cluster={cluster} /> },
  {
    title: 'Username',
    cell: ({ username }) => <span className="break-all font-mono">{username}</span>,
  },
  {
    title: 'Last sync',
    cell: ({ lastSyncAt }) => (
      <span className="whitespace-nowrap">
        {lastSyncAt ? <RelativeTime at={lastSyncAt} /> : 'Never'}
      </span>
    ),
  },
  {
    title: 'Actions',
    isEnd: true,
    isBare: true,
    cell: (cluster) => <ClusterActions cluster={cluster} />,
  },
]

function Name({ cluster }: { cluster: Cluster }) {
  return (
    <>
      <span className="flex flex-wrap items-center gap-2 font-semibold">
        {cluster.name}
        {cluster.isDefault && <Badge>Default</Badge>}
      </span>
      <span className="block break-all font-mono text-ink-soft text-xs">
        {cluster.host}:{cluster.port}
      </span>
    </>
  )
}

function Status({ cluster }: { cluster: Cluster }) {
  const isConnected = cluster.status === 'connected'
  return (
    <>
      <Badge tone={isConnected ? 'good' : 'bad'} hasMark>
        {isConnected ? 'Connected' : 'Disconnected'}
      </Badge>
      {cluster.problem && <p className="mt-1 max-w-64 text-xs">{cluster.problem}</p>}
    </>
  )
}
