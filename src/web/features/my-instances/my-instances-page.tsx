import { useQueries, useQuery } from '@tanstack/react-query'
import { Server } from 'lucide-react'
import { Link } from 'wouter'
import type { ClientInstance } from '#shared/api/servers/instances.ts'
import { query } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { paths } from '../../lib/paths/paths.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { LazyAccept } from '../../widgets/handover/lazy-accept.tsx'
import { beginsOpen } from '../../widgets/instance/rest-button.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { InstanceCard } from './instance-card.tsx'

const POLL_MS = 15_000

export function MyInstancesPage() {
  const instances = useQuery({
    ...query(api.client.instances),
    staleTime: 0,
    refetchInterval: POLL_MS,
  })
  return (
    <div className="space-y-4">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <h2 className="flex items-center gap-2 text-lg">
          My Instances
          {instances.data && <Badge>{instances.data.length}</Badge>}
        </h2>
        <div className="flex flex-wrap items-center gap-3">
          <QueryFreshness query={instances} />
          <LazyAccept />
        </div>
      </div>
      <ListState
        query={instances}
        failure="Your instances could not be loaded"
        skeleton={<Skeletons />}
      >
        {(list) => <Cards instances={list} />}
      </ListState>
    </div>
  )
}

function Cards({ instances }: { instances: readonly ClientInstance[] }) {
  const statuses = useStatuses(instances)
  const tokens = useQuery({ ...query(api.client.tokens), staleTime: 0 })
  const { isSimulated = false } = useMe()
  if (instances.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={Server}
          title="No instances found"
          action={
            <Link href={paths.createInstance} className={buttonClass({ variant: 'primary' })}>
              Choose a server
            </Link>
          }
        >
          The servers you have appear here, with their power buttons and figures.
        </EmptyState>
      </Card>
    )
  }
  return (
    <ul className="space-y-3">
      {instances.map((instance, index) => (
        <li key={instance.id}>
          <InstanceCard
            instance={{ ...instance, status: statuses[index] ?? instance.status }}
            token={tokens.data?.find(({ id }) => id === instance.tokenId)}
            isSimulated={isSimulated}
            isOpenAtFirst={beginsOpen(instances.length)}
          />
        </li>
      ))}
    </ul>
  )
}

/** The state of each, read separately; it overrides the listed one. */
function useStatuses(instances: readonly ClientInstance[]): (string | undefined)[] {
  return useQueries({
    queries: instances.map(({ id }) => ({
      ...query(api.instances.status, { params: { id } }),
      staleTime: 0,
      refetchInterval: POLL_MS,
    })),
    combine: (results) => results.map(({ data }) => data?.status),
  })
}

function Skeletons() {
  return (
    <div className="space-y-4">
      <Skeleton className="h-72" />
      <Skeleton className="h-72" />
    </div>
  )
}
