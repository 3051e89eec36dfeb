import type { ClusterState } from './cluster-indicator.tsx'

/** How the cluster is. No call tells it yet, so nothing is claimed. */
export const useClusterState = (): ClusterState | undefined => undefined
