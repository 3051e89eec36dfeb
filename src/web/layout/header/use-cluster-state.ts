import { useQuery } from '@tanstack/react-query'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import type { ClusterState } from './cluster-indicator.tsx'

/** How the cluster is; undefined as long as nobody could tell. */
export function useClusterState(): ClusterState | undefined {
  const { data, isError } = useQuery({
    ...query(api.clusters.state),
    refetchInterval: MINUTE_MS,
  })
  // An answer from before the failure may no longer be true: then nothing is claimed.
  return isError ? undefined : data?.state
}
