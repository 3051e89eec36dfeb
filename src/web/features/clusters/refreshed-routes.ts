import { api } from '../../api/table.ts'

/** What shows something else once a cluster came, went or was read again. */
export const AFTER_CLUSTER_CHANGE = [
  api.clusters.list,
  api.clusters.state,
  api.clusters.diagnosis,
  api.nodes.list,
  api.nodes.templates,
  api.templates.list,
  api.instances.list,
  api.stats.get,
]
