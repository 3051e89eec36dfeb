import type { Cluster } from '#shared/api/servers/clusters.ts'
import type { Node } from '#shared/api/servers/nodes.ts'

export type NodeGroup = { clusterId: number; name: string; problem: string | null; nodes: Node[] }

/** Nodes under their cluster, by name; a cluster without nodes is included. */
export function groupNodes(nodes: readonly Node[], clusters: readonly Cluster[]): NodeGroup[] {
  const groups = new Map<number, NodeGroup>(
    clusters.map(({ id, name, problem }) => [id, { clusterId: id, name, problem, nodes: [] }]),
  )
  for (const node of nodes) {
    const group = groups.get(node.clusterId) ?? {
      clusterId: node.clusterId,
      name: `Cluster ${node.clusterId}`,
      problem: null,
      nodes: [],
    }
    group.nodes.push(node)
    groups.set(node.clusterId, group)
  }
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name, 'en')
  for (const { nodes: list } of groups.values()) list.sort(byName)
  return [...groups.values()].sort(byName)
}

/** The used fraction, 0 to 1; null where the cluster has no figure. */
export const ratio = (used: number | null, total: number | null): number | null =>
  used === null || total === null || total <= 0 ? null : used / total
