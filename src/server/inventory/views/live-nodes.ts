import type { z } from 'zod'
import type { Node, NodeStatus } from '#shared/api/servers/nodes.ts'
import type { nodes } from '../../db/schema/infrastructure.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import type { InventoryNode } from '../../hypervisor/port/hypervisor.ts'

type NodeRow = typeof nodes.$inferSelect

const viewOf = ({ clusterId }: Pick<NodeRow, 'clusterId'>, hypervisors: Hypervisors) =>
  hypervisors.all().get(clusterId)?.inventory.view()

/** The node in the cluster's last answer; undefined if that is too old. */
export function seenNode(
  row: Pick<NodeRow, 'clusterId' | 'name'>,
  hypervisors: Hypervisors,
): InventoryNode | undefined {
  const view = viewOf(row, hypervisors)
  if (view === undefined || view.health === 'offline') return undefined
  return view.inventory?.nodes.find(({ name }) => name === row.name)
}

/** A node as the cluster last reported it; `unknown`, with a date, if that is too old. */
export function liveNode(row: NodeRow, hypervisors: Hypervisors): z.input<typeof Node> {
  const seen = seenNode(row, hypervisors)
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
    lastUpdated: (seen && viewOf(row, hypervisors)?.asOf) ?? row.lastUpdated,
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
