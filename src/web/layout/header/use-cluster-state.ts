import { useQuery } from '@tanstack/react-query'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import type { ClusterState } from './cluster-indicator.tsx'

/** The state of the cluster; undefined until it is known. */
export function useClusterState(): ClusterState | undefined {
  const { data, isError } = useQuery({
    ...query(api.clusters.state),
    refetchInterval: MINUTE_MS,
  })
  // An answer from before the failure may be outdated: then no state is shown.
  return isError ? undefined : data?.state
}
