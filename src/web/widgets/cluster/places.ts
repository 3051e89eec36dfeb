type Named = { id: number; name: string }
type Placed = { clusterId: number; name: string }

/**
 * The names of places. With one cluster a node has its own name; with several the cluster is added,
 * because two clusters may both have a pve1.
 */
export function placesOf(clusters: readonly Named[]) {
  const byId = new Map(clusters.map(({ id, name }) => [id, name]))
  const isMany = clusters.length > 1
  /** The cluster's name where there is more than one, else undefined. */
  const clusterOf = (clusterId: number): string | undefined =>
    isMany ? (byId.get(clusterId) ?? `Cluster ${clusterId}`) : undefined
  const node = ({ name, clusterId }: Placed): string => {
    const cluster = clusterOf(clusterId)
    return cluster === undefined ? name : `${name} (${cluster})`
  }
  return {
    isMany,
    clusterOf,
    node,
    /** Where an instance runs. */
    nodeOf: (instance: { clusterId: number; node: { name: string } | null }): string => {
      if (instance.node) return node({ clusterId: instance.clusterId, name: instance.node.name })
      const cluster = clusterOf(instance.clusterId)
      return cluster === undefined ? 'No node' : `No node (${cluster})`
    },
  }
}

export type Places = ReturnType<typeof placesOf>
