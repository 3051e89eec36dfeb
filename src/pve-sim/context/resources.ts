import { isRunning, nodeLoadWith, storageLoad, storageUse, vmLoad } from '../metrics/stats.ts'
import type { ClusterData, Node, Vm } from '../state/types.ts'
import { atLeast, traits, wire } from '../state/versions.ts'
import { bootDiskSize, onNode } from '../vm/disks.ts'
import { memoryMiB } from '../vm/vm-config.ts'

type Source = { state: ClusterData; now: () => number; lagMs: number }

type Row = Record<string, unknown>
type Entry = { at: number; row: Row }

/**
 * What pvestatd last broadcast. Existence, node, lock, tags and pool come straight from the
 * configuration; status, name and figures are as old as the last broadcast.
 */
type Broadcast = {
  at: number
  /**
   * By id, not by VM: a new VM with a reused id shows its predecessor's values until the next
   * round.
   */
  vms: Map<number, Entry>
  guestMemory: Map<string, number>
}

/** pmxcfs keeps an id's last values for five minutes after they were sent. */
const VALID_MS = 300_000

function describe(sim: Source, vm: Vm): Row {
  const now = sim.now()
  const { cpu, mem, maxcpu, maxmem, uptime, ...counters } = vmLoad(vm, now)
  return {
    name: vm.config.name ?? `VM ${vm.vmid}`,
    status: vm.qmp,
    template: vm.config.template === '1' ? 1 : 0,
    cpu,
    maxcpu,
    mem,
    maxmem,
    disk: 0,
    maxdisk: bootDiskSize(vm.config),
    uptime,
    ...counters,
    ...(traits(sim.state.version).hostMetrics ? { memhost: Math.floor(mem * 1.04) } : {}),
  }
}

const UNKNOWN = { status: 'unknown' }

/** One round of pvestatd on every online node. A VM that is not `due` waits for the next round. */
function broadcast(
  sim: Source,
  before: Broadcast | undefined,
  due: (vm: Vm) => boolean,
): Broadcast {
  const now = sim.now()
  const vms = new Map([...(before?.vms ?? [])].filter(([, { at }]) => now - at < VALID_MS))
  const guestMemory = new Map<string, number>()
  for (const vm of sim.state.vms.values()) {
    const node = sim.state.nodes.get(vm.node)
    if (isRunning(vm)) {
      const bytes = memoryMiB(vm.config) * 1024 ** 2 * 0.6
      guestMemory.set(vm.node, (guestMemory.get(vm.node) ?? 0) + bytes)
    }
    const sent = before?.vms.get(vm.vmid)
    if (node?.online ? due(vm) : !sent) vms.set(vm.vmid, { at: now, row: describe(sim, vm) })
    else if (sent && !node?.online) vms.set(vm.vmid, sent)
    if (!node || now - (node.offlineSince ?? now) >= VALID_MS) vms.delete(vm.vmid)
  }
  return { at: now, vms, guestMemory }
}

/** Keeps the last broadcast; `read` gives one consistent view for one answer. */
export function resourceCache(sim: Source) {
  let last: Broadcast | undefined
  const listed = new WeakSet<Vm>()

  /** Without a lag every read makes a round, and the first read after a clone precedes it. */
  function isDue(vm: Vm): boolean {
    return listed.has(vm) || !last || sim.lagMs > 0
  }

  return {
    read(): ResourceView {
      const age = last ? sim.now() - last.at : Number.POSITIVE_INFINITY
      if (!last || age >= sim.lagMs || age < 0) last = broadcast(sim, last, isDue)
      return viewOf(sim, last, (vm) => listed.add(vm))
    },
    /** The last values of a VM that is removed stay: it may have been running then. */
    leaves(vm: Vm): void {
      const row = last?.vms.get(vm.vmid)?.row ?? describe(sim, vm)
      last?.vms.set(vm.vmid, { at: sim.now(), row })
    },
  }
}

export type Resources = ReturnType<typeof resourceCache>
type ResourceView = ReturnType<typeof viewOf>

function viewOf(sim: Source, current: Broadcast, seen: (vm: Vm) => void) {
  return {
    vm(vm: Vm, pool: string | undefined): Row {
      seen(vm)
      const { lock, tags } = vm.config
      return {
        id: `qemu/${vm.vmid}`,
        type: 'qemu',
        vmid: wire(vm.vmid, traits(sim.state.version).strings.vmid),
        node: vm.node,
        ...(current.vms.get(vm.vmid)?.row ?? UNKNOWN),
        ...(lock ? { lock } : {}),
        ...(tags ? { tags } : {}),
        ...(pool ? { pool } : {}),
        ...(vm.ha ? { hastate: vm.ha.state } : {}),
      }
    },
    /** Figures only where the caller may see them. */
    node(node: Node, mayAudit: boolean): Row {
      const base = {
        id: `node/${node.name}`,
        type: 'node',
        node: node.name,
        status: node.online ? 'online' : 'offline',
      }
      if (!node.online || !mayAudit) return base
      const numbers = nodeLoadWith(node, current.guestMemory.get(node.name) ?? 0, sim.now())
      const maintenance = node.maintenance && atLeast(sim.state.version, '8.3')
      return {
        ...base,
        level: '',
        ...numbers,
        ...(atLeast(sim.state.version, '8.0') ? { 'cgroup-mode': 2 } : {}),
        ...(maintenance ? { hastate: 'maintenance' } : {}),
      }
    },
    storages(maySee: (id: string) => boolean): Row[] {
      const use = storageUse(sim.state)
      const rows: Row[] = []
      for (const node of sim.state.nodes.values()) {
        for (const storage of sim.state.storages.values()) {
          if (!onNode(storage, node.name) || !maySee(storage.id)) continue
          const { used, total } = storageLoad(storage, node.name, use)
          rows.push({
            id: `storage/${node.name}/${storage.id}`,
            type: 'storage',
            storage: storage.id,
            node: node.name,
            status: node.online ? 'available' : 'unknown',
            plugintype: storage.type,
            content: storage.content.join(','),
            shared: storage.shared ? 1 : 0,
            ...(node.online ? { disk: used, maxdisk: total } : {}),
          })
        }
      }
      return rows
    },
  }
}
