import { systemClock } from '#proxmox/transport/clock.ts'
import { AppError } from '#shared/errors.ts'
import type { ClusterConnection } from './connect/connection.ts'
import {
  type CacheDeps,
  type InventoryCache,
  type InventoryView,
  inventoryCache,
} from './inventory-cache.ts'
import type { Hypervisor } from './port/hypervisor.ts'
import { type HypervisorDeps, proxmoxHypervisor } from './proxmox/proxmox-hypervisor.ts'

/** A connected cluster: the port to act on it, the cache to read it. */
export type ClusterHandle = { hypervisor: Hypervisor; inventory: InventoryCache }

export type PollListener = (clusterId: number, view: InventoryView) => void

export type HypervisorsDeps = HypervisorDeps &
  Pick<CacheDeps, 'everyMs' | 'schedule'> & {
    onPoll?: PollListener
    /** The server's clock, if it is not the system's: times set here are compared there. */
    now?: () => number
  }

/**
 * All connected clusters, by our id. `clusterLinks` connects and disconnects them by the database.
 */
export function hypervisors(deps: HypervisorsDeps) {
  const { onPoll, everyMs, schedule, now, ...rest } = deps
  const base = rest.clock ?? systemClock
  const own = { ...rest, clock: now ? { ...base, now } : base }
  const listeners = new Set<PollListener>(onPoll ? [onPoll] : [])
  const cacheDeps = {
    now: own.clock.now,
    ...(everyMs ? { everyMs } : {}),
    ...(schedule ? { schedule } : {}),
  }
  const handles = new Map<number, ClusterHandle>()

  const disconnect = async (clusterId: number): Promise<void> => {
    const handle = handles.get(clusterId)
    handles.delete(clusterId)
    const stopped = handle?.inventory.stop()
    // A poll that waits for an answer ends only with the connection.
    await handle?.hypervisor.close()
    await stopped
  }

  return {
    /** Connects, or reconnects with changed credentials. Starts polling at once. */
    async connect(clusterId: number, connection: ClusterConnection): Promise<ClusterHandle> {
      await disconnect(clusterId)
      const hypervisor = withCacheNews(proxmoxHypervisor(connection, own), () => handle)
      const inventory = inventoryCache(hypervisor, {
        ...cacheDeps,
        onPoll: (view) => {
          for (const listener of listeners) listener(clusterId, view)
        },
      })
      const handle: ClusterHandle = { hypervisor, inventory }
      handles.set(clusterId, handle)
      inventory.start()
      return handle
    },
    disconnect,
    /** Called after every poll of every cluster, successful or not. */
    onPoll(listener: PollListener): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** For a single look without polling; the caller must close it. */
    probe: (connection: ClusterConnection): Hypervisor => proxmoxHypervisor(connection, own),
    of(clusterId: number): ClusterHandle {
      const handle = handles.get(clusterId)
      if (handle) return handle
      throw new AppError('CLUSTER_UNAVAILABLE', 'This cluster is not connected.')
    },
    all: (): ReadonlyMap<number, ClusterHandle> => handles,
    async close(): Promise<void> {
      await Promise.all([...handles.keys()].map(disconnect))
    },
  }
}

export type Hypervisors = ReturnType<typeof hypervisors>

/**
 * After an action of ours the cache learns the VM's live state, and the list is requested again at
 * once.
 */
function withCacheNews(hypervisor: Hypervisor, handle: () => ClusterHandle): Hypervisor {
  const tell = async <T>(act: Promise<T>): Promise<T> => {
    try {
      return await act
    } finally {
      void handle().inventory.refresh()
    }
  }
  return {
    ...hypervisor,
    async vm(vm) {
      const live = await hypervisor.vm(vm)
      handle().inventory.learn(live)
      return live
    },
    async power(vm, act, options) {
      const live = await tell(hypervisor.power(vm, act, options))
      handle().inventory.learn(live)
      return live
    },
    setConfig: (vm, changes) => tell(hypervisor.setConfig(vm, changes)),
    clone: (order, options) => tell(hypervisor.clone(order, options)),
    prepare: (vm, setup, options) => tell(hypervisor.prepare(vm, setup, options)),
    resize: (vm, diskGb, options) => tell(hypervisor.resize(vm, diskGb, options)),
    destroy: (vm, options) => tell(hypervisor.destroy(vm, options)),
  }
}
