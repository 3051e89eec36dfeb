import type { Resource } from '#proxmox/calls/cluster.ts'
import type {
  Inventory,
  InventoryNode,
  InventoryStorage,
  InventoryVm,
  NodeState,
} from '../port/hypervisor.ts'
import { vmState } from './vm-state.ts'

/** Builds our entities from one answer of `/cluster/resources` (facts §8). */
export function inventoryOf(
  resources: readonly Resource[],
  isQuorate: boolean | undefined,
): Inventory {
  const nodeStates = new Map<string, NodeState>()
  for (const entry of resources) {
    if (entry.type === 'node' && entry.node) nodeStates.set(entry.node, nodeStateOf(entry))
  }
  const machines = resources.flatMap((entry) => vmOf(entry, nodeStates))
  const vms = machines.filter((vm) => !vm.isTemplate)
  const storages = resources.filter(holdsImages)
  const vmCounts = countBy(vms, ({ node }) => node)
  const nodes = resources
    .filter((entry) => entry.type === 'node')
    .flatMap((entry) => nodeOf(entry, { vmCounts, storages }))
  return {
    nodes: nodes.toSorted((a, b) => a.name.localeCompare(b.name)),
    vms,
    templates: machines.filter((vm) => vm.isTemplate),
    storages: uniqueStorages(storages),
    isQuorate,
  }
}

function nodeStateOf(entry: Resource): NodeState {
  if (entry.status === 'online') return entry.hastate === 'maintenance' ? 'maintenance' : 'online'
  return entry.status === 'offline' ? 'offline' : 'unknown'
}

function vmOf(entry: Resource, nodeStates: Map<string, NodeState>): InventoryVm[] {
  const { type, vmid, node } = entry
  if (type !== 'qemu' || vmid === undefined || node === undefined) return []
  // PVE repeats the last state of a dead node for five minutes; the true state is unknown.
  const isHeard = nodeStates.get(node) !== 'offline'
  const state = isHeard ? vmState(entry) : 'unknown'
  return [
    {
      vmId: vmid,
      node,
      state,
      name: entry.name ?? '',
      isTemplate: entry.template,
      lock: entry.lock,
      uptime: isHeard ? (entry.uptime ?? 0) : 0,
      cpuUsage: isHeard ? entry.cpu : undefined,
      cpuCount: entry.maxcpu,
      memoryUsed: isHeard ? entry.mem : undefined,
      memoryTotal: entry.maxmem,
      diskTotal: entry.maxdisk,
      tags: entry.tags,
      pool: entry.pool,
      netIn: isHeard ? entry.netin : undefined,
      netOut: isHeard ? entry.netout : undefined,
    },
  ]
}

const holdsImages = (entry: Resource) =>
  entry.type === 'storage' && (entry.content?.split(',').includes('images') ?? false)

function nodeOf(
  entry: Resource,
  { vmCounts, storages }: { vmCounts: ReadonlyMap<string, number>; storages: Resource[] },
): InventoryNode[] {
  const name = entry.node
  if (name === undefined) return []
  const own = storages.filter((storage) => storage.node === name && storage.maxdisk)
  const sum = (key: 'disk' | 'maxdisk') =>
    own.length === 0 ? undefined : own.reduce((total, storage) => total + (storage[key] ?? 0), 0)
  return [
    {
      name,
      state: nodeStateOf(entry),
      cpuUsage: entry.cpu,
      memoryUsed: entry.mem,
      memoryTotal: entry.maxmem,
      // A node without image storage still has a root filesystem to show.
      storageUsed: sum('disk') ?? entry.disk,
      storageTotal: sum('maxdisk') ?? entry.maxdisk,
      vmCount: vmCounts.get(name) ?? 0,
    },
  ]
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}

/** Every node reports a shared storage; it is listed once. */
function uniqueStorages(storages: readonly Resource[]): InventoryStorage[] {
  const unique = new Map<string, InventoryStorage>()
  for (const { storage, node, shared, disk = 0, maxdisk = 0 } of storages) {
    if (storage === undefined) continue
    const key = shared ? storage : `${node}/${storage}`
    const seen = unique.get(key)
    // A node that is down reports no size; another one may know it.
    if (seen && seen.total >= maxdisk) continue
    unique.set(key, { name: storage, node: shared ? undefined : node, used: disk, total: maxdisk })
  }
  return [...unique.values()]
}
