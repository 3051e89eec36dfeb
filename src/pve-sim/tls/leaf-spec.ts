import type { ClusterData } from '../state/types.ts'
import type { LeafSpec } from './certificates.ts'

const DOMAIN = 'hushbox.example'

/** Names in the node's certificate. Certificates use real time, whatever the cluster's clock. */
export function leafSpec(data: ClusterData, host: string): LeafSpec {
  const node = [...data.nodes.values()][0]
  const name = node?.name ?? 'pve1'
  const fqdn = `${name}.${DOMAIN}`
  const names = ['127.0.0.1', '::1', 'localhost', node?.ip ?? '127.0.0.1', name, fqdn, host]
  const unique = [...new Set(names.filter((entry) => entry !== '0.0.0.0' && entry !== '::'))]
  return { clusterId: data.clusterId, fqdn, names: unique, now: Date.now() }
}
