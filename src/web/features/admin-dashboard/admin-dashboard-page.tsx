import { useQuery } from '@tanstack/react-query'
import { Server, UsersRound } from 'lucide-react'
import type { ActiveClient } from '#shared/api/overview/dashboard.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { StatCard } from '../../widgets/facts/stat-card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { totalsOf } from './active-clients.ts'
import { AttentionPanel } from './attention-panel.tsx'
import { ClientCard } from './client-card.tsx'

const HALF_A_MINUTE = 30_000

export function AdminDashboardPage() {
  const clients = useQuery({ ...query(api.dashboard.clients), refetchInterval: HALF_A_MINUTE })
  const totals = clients.data && totalsOf(clients.data)
  const none = clients.isPending ? undefined : null
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg">Manage client instances and monitor system status</h2>
        <QueryFreshness query={clients} />
      </div>
      <dl className="grid gap-4 sm:grid-cols-2">
        <StatCard label="Active Clients" value={totals?.activeClients ?? none} icon={UsersRound} />
        <StatCard label="Total Instances" value={totals?.totalInstances ?? none} icon={Server} />
      </dl>
      <AttentionPanel />
      <ListState query={clients} failure="The clients could not be loaded" skeleton={<Skeletons />}>
        {(list) => <Clients clients={list} />}
      </ListState>
    </div>
  )
}

function Clients({ clients }: { clients: readonly ActiveClient[] }) {
  if (clients.length === 0) {
    return (
      <Card>
        <EmptyState icon={UsersRound} title="No clients with active instances found">
          A client appears here as soon as a token is theirs.
        </EmptyState>
      </Card>
    )
  }
  return (
    <ul className="space-y-4">
      {clients.map((client) => (
        // Off-screen cards are laid out when they come near the viewport: there is no paging here.
        <li
          key={client.id}
          className="[contain-intrinsic-size:auto_14rem] [content-visibility:auto]"
        >
          <ClientCard client={client} />
        </li>
      ))}
    </ul>
  )
}

function Skeletons() {
  return (
    <div className="space-y-4">
      {['a', 'b'].map((key) => (
        <Skeleton key={key} className="h-48" />
      ))}
    </div>
  )
}
