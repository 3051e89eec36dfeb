import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { type Places, placesOf } from './places.ts'

const NONE: readonly never[] = []

/** Names of nodes, with their cluster where there is more than one. For administrators. */
export function usePlaces(): Places {
  const { data = NONE } = useQuery(query(api.clusters.list))
  return useMemo(() => placesOf(data), [data])
}

/** The node with this id, with its cluster; undefined with only one cluster. */
export function useNodeInMany(): (nodeId: number | null) => string | undefined {
  const places = usePlaces()
  const { data: nodes = NONE } = useQuery({ ...query(api.nodes.list), enabled: places.isMany })
  return useMemo(() => {
    const byId = new Map(nodes.map((node) => [node.id, node]))
    return (nodeId) => {
      const node = nodeId === null ? undefined : byId.get(nodeId)
      return places.isMany && node ? places.node(node) : undefined
    }
  }, [places, nodes])
}
