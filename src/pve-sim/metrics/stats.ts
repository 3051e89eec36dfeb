import { countsSince } from '../state/net-runs.ts'
import type { ClusterData, Node, Storage, Vm } from '../state/types.ts'
import { cpuCount, memoryMiB } from '../vm/vm-config.ts'
import { noise, seedOf } from './noise.ts'
import { netCounters } from './traffic.ts'

/** Figures that look alive and are a pure function of identity and time. */

const MIB = 1024 ** 2

/** The load of a machine at a moment: a daily wave, a faster one, and some noise per minute. */
export function load(seed: number, seconds: number): number {
  const day = Math.sin((seconds / 86_400) * 2 * Math.PI + noise(seed, 1) * 6)
  const hour = Math.sin((seconds / 3000) * 2 * Math.PI + noise(seed, 2) * 6)
  const level = 0.03 + noise(seed, 3) * 0.35
  const wobble = noise(seed, Math.floor(seconds / 60)) * 0.08
  return Math.min(0.98, Math.max(0.001, level * (1 + 0.5 * day + 0.2 * hour) + wobble))
}

type Rates = { netin: number; netout: number; diskread: number; diskwrite: number }

/** Bytes per second. */
export function rates(seed: number, seconds: number): Rates {
  const busy = load(seed, seconds)
  const scale = (n: number, top: number) => busy * top * (0.3 + noise(seed, n))
  return {
    netin: scale(11, 900_000),
    netout: scale(12, 2_500_000),
    diskread: scale(13, 1_500_000),
    diskwrite: scale(14, 800_000),
  }
}

/** Counters since the start, as in `status/current` and `resources`. */
function counters(vm: Vm, now: number): Rates {
  const uptime = uptimeOf(vm, now)
  const count = (n: number, top: number) =>
    Math.floor(uptime * top * (0.1 + noise(vm.vmid, n) * 0.4))
  return {
    ...netCounters(vm, now),
    diskread: 300 * MIB + count(13, 90_000),
    diskwrite: 20 * MIB + count(14, 160_000),
  }
}

export const isRunning = (vm: Vm) => vm.qmp !== 'stopped'

function uptimeOf(vm: Vm, now: number): number {
  return isRunning(vm) ? Math.max(0, Math.floor((now - countsSince(vm)) / 1000)) : 0
}

const ZERO: Rates = { netin: 0, netout: 0, diskread: 0, diskwrite: 0 }

/** cpu, mem and counters of a VM now. */
export function vmLoad(vm: Vm, now: number) {
  const maxcpu = cpuCount(vm.config)
  const maxmem = memoryMiB(vm.config) * MIB
  if (!isRunning(vm)) return { cpu: 0, mem: 0, maxcpu, maxmem, uptime: 0, ...ZERO }
  const busy = vm.qmp === 'paused' ? 0 : load(vm.vmid, now / 1000)
  const mem = Math.floor(maxmem * (0.25 + 0.5 * noise(vm.vmid, 5) + 0.1 * busy))
  const uptime = uptimeOf(vm, now)
  return { cpu: busy, mem, maxcpu, maxmem, uptime, ...counters(vm, now) }
}

export function nodeLoad(data: ClusterData, node: Node, now: number) {
  let guests = 0
  for (const vm of data.vms.values()) {
    if (vm.node === node.name && isRunning(vm)) guests += memoryMiB(vm.config) * MIB * 0.6
  }
  return nodeLoadWith(node, guests, now)
}

/** The same, with the memory of its guests already known. */
export function nodeLoadWith(node: Node, guestMemory: number, now: number) {
  const seed = seedOf(node.name)
  return {
    cpu: load(seed, now / 1000),
    maxcpu: node.cpus,
    mem: Math.min(Math.floor(node.memory * 0.97), Math.floor(node.memory * 0.06 + guestMemory)),
    maxmem: node.memory,
    disk: Math.floor(node.rootfs * (0.12 + 0.2 * noise(seed, 6))),
    maxdisk: node.rootfs,
    uptime: Math.max(0, Math.floor((now - node.bootedAt) / 1000)),
  }
}

/** Storage → node ('' when shared) → bytes of VM disks. */
type StorageUse = Map<string, Map<string, number>>

/** Thin volumes use about a third of their size, linked clones next to nothing. */
export function storageUse(data: ClusterData): StorageUse {
  const use: StorageUse = new Map()
  for (const { storage, node = '', size, parent, content, format } of data.volumes.values()) {
    const byNode = use.get(storage) ?? new Map<string, number>()
    // An archive is as large as it says, but on a backup server, which stores each block once.
    const isFile = content === 'backup' && format !== 'pbs-vm'
    const share = isFile ? 1 : parent ? 0.08 : 0.35
    byNode.set(node, (byNode.get(node) ?? 0) + size * share)
    use.set(storage, byNode)
  }
  return use
}

export function storageLoad(storage: Storage, node: string, use: StorageUse) {
  const disks = use.get(storage.id)?.get(storage.shared ? '' : node) ?? 0
  const used = Math.min(storage.total, Math.floor(storage.base + disks))
  return { used, total: storage.total, avail: storage.total - used }
}
