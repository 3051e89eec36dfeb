import { api } from '../../api/table.ts'

/** The routes that change when a cluster is added, removed or synchronised. */
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
