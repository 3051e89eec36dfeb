import type { z } from 'zod'
import type { Node, NodeStatus } from '#shared/api/nodes.ts'
import type { nodes } from '../db/schema/infrastructure.ts'
import type { InventoryNode } from '../hypervisor/hypervisor.ts'
import type { Hypervisors } from '../hypervisor/hypervisors.ts'

type NodeRow = typeof nodes.$inferSelect

/** A node as the cluster last showed it; what nobody knows any more is `unknown`, and dated. */
export function liveNode(row: NodeRow, hypervisors: Hypervisors): z.input<typeof Node> {
  const view = hypervisors.all().get(row.clusterId)?.inventory.view()
  const isKnown = view !== undefined && view.health !== 'offline'
  const seen = isKnown ? view.inventory?.nodes.find(({ name }) => name === row.name) : undefined
  const figures = seen ? figuresOf(seen) : row
  return {
    id: row.id,
    clusterId: row.clusterId,
    name: row.name,
    status: (seen?.state ?? 'unknown') satisfies NodeStatus,
    cpuUsage: figures.cpuUsage,
    memoryUsed: figures.memoryUsed,
    memoryTotal: figures.memoryTotal,
    storageUsed: figures.storageUsed,
    storageTotal: figures.storageTotal,
    memoryUsage: percent(figures.memoryUsed, figures.memoryTotal),
    diskUsage: percent(figures.storageUsed, figures.storageTotal),
    vmCount: seen?.vmCount ?? row.vmCount,
    lastUpdated: seen ? (view?.asOf ?? row.lastUpdated) : row.lastUpdated,
  }
}

const figuresOf = (node: InventoryNode) => ({
  cpuUsage: node.cpuUsage ?? null,
  memoryUsed: node.memoryUsed ?? null,
  memoryTotal: node.memoryTotal ?? null,
  storageUsed: node.storageUsed ?? null,
  storageTotal: node.storageTotal ?? null,
})

function percent(used: number | null, total: number | null): number | null {
  if (used === null || total === null || total <= 0) return null
  return (used / total) * 100
}
