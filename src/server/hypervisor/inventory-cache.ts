import { AppError } from '#shared/errors.ts'
import type { Hypervisor, Inventory, InventoryVm, LiveVm, VmState } from './port/hypervisor.ts'

/** Runs a function later; returns how to cancel it. Tests supply their own. */
type Schedule = (act: () => void, ms: number) => () => void

const systemSchedule: Schedule = (act, ms) => {
  const timer = setTimeout(act, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

export type CacheDeps = {
  now(): number
  schedule?: Schedule
  everyMs?: number
  /** Called after every poll, successful or not, to update rows and notify browsers. */
  onPoll?: (view: InventoryView) => void
}

export type ClusterHealth = 'degraded' | 'offline' | 'online'

export type InventoryView = {
  /** The last answer; undefined before the first. */
  inventory: Inventory | undefined
  /** When the last answer was true. */
  asOf: Date | undefined
  /** Why there is no newer answer. */
  failure: AppError | undefined
  health: ClusterHealth
}

export type CachedVm = Readonly<InventoryVm> & {
  asOf: Date
  /** Until when this is certain: the cluster's own list lags behind. */
  certainAt: Date
  lastKnown: VmState
}

const EVERY_MS = 10_000
/** Three missed polls: the data is no longer current. */
const STALE_MS = 35_000
/** PVE's own list lags this far behind (facts §7): until then a live sighting is newer. */
const LAG_MS = 15_000

export type InventoryCache = ReturnType<typeof inventoryCache>

/** One poll per cluster feeds every page. No page waits for the cluster to show a list. */
export function inventoryCache(hypervisor: Pick<Hypervisor, 'listInventory'>, deps: CacheDeps) {
  const { now, schedule = systemSchedule, everyMs = EVERY_MS, onPoll } = deps
  const seenLive = new Map<number, { vm: LiveVm; at: number }>()
  /** The views as last returned: the same object until something changes. */
  const shown = new Map<number, CachedVm>()
  let latest: { inventory: Inventory; byId: Map<number, InventoryVm>; at: number } | undefined
  let failure: AppError | undefined
  let underWay: Promise<void> | undefined
  let isDirty = false
  let cancel: (() => void) | undefined
  let isStopped = true

  const isPast = (at: number) => now() - at > STALE_MS
  const isStale = () => latest === undefined || isPast(latest.at)

  const find = (vmId: number): InventoryVm | undefined => latest?.byId.get(vmId)

  const view = (): InventoryView => ({
    inventory: latest?.inventory,
    asOf: latest && new Date(latest.at),
    failure,
    health: healthOf(latest?.inventory, { failure, isStale: isStale() }),
  })

  const ask = async (): Promise<void> => {
    const at = now()
    try {
      const inventory = await hypervisor.listInventory()
      const machines = [...inventory.vms, ...inventory.templates]
      latest = { inventory, byId: new Map(machines.map((vm) => [vm.vmId, vm])), at }
      failure = undefined
      shown.clear()
      for (const [vmId, seen] of seenLive) if (at - seen.at > LAG_MS) seenLive.delete(vmId)
    } catch (error) {
      failure = error instanceof AppError ? error : unexpected(error)
    }
    try {
      if (!isStopped) onPoll?.(view())
    } catch (error) {
      // A listener that throws must not end the polling.
      failure = unexpected(error)
    }
  }

  /** A caller during a poll gets the next one: the poll in progress may have missed the change. */
  const refresh = (): Promise<void> => {
    if (underWay) {
      isDirty = true
      return underWay
    }
    underWay = (async () => {
      do {
        isDirty = false
        await ask()
      } while (isDirty)
    })().finally(() => {
      underWay = undefined
    })
    return underWay
  }

  const next = () => {
    cancel?.()
    if (isStopped) return
    cancel = schedule(() => {
      void refresh().finally(next)
    }, everyMs)
  }

  return {
    view,
    refresh,
    /** For a while, a live sighting is newer than the list. */
    learn(vm: LiveVm): void {
      seenLive.set(vm.vmId, { vm, at: now() })
      shown.delete(vm.vmId)
    },
    /**
     * The cluster answered recently and did not list the VM. That may also mean that our
     * permissions were revoked: `hypervisor.vm` can tell, so ask it before treating a VM as
     * missing.
     */
    isUnlisted: (vmId: number) => !isStale() && find(vmId) === undefined,
    /** Undefined while it is not listed. */
    vm(vmId: number): CachedVm | undefined {
      const listed = find(vmId)
      if (latest === undefined || listed === undefined) return undefined
      const known = shown.get(vmId)
      if (known && (known.state === 'unknown' || !isPast(known.asOf.getTime()))) return known
      const { at } = latest
      const live = seenLive.get(vmId)
      const isLiveNewer = live !== undefined && live.at > at - LAG_MS
      const best = isLiveNewer ? { ...listed, ...live.vm } : listed
      const asOf = isLiveNewer ? live.at : at
      // An unknown state is never shown as stopped, or as any other.
      const state = isPast(asOf) ? 'unknown' : best.state
      const certainAt = new Date(isLiveNewer ? asOf : asOf - LAG_MS)
      const vm = { ...best, state, lastKnown: best.state, asOf: new Date(asOf), certainAt }
      shown.set(vmId, vm)
      return vm
    },
    start(): void {
      if (!isStopped) return
      isStopped = false
      void refresh().finally(next)
    },
    async stop(): Promise<void> {
      isStopped = true
      cancel?.()
      await underWay
    },
  }
}

function healthOf(
  inventory: Inventory | undefined,
  { failure, isStale }: { failure: AppError | undefined; isStale: boolean },
): ClusterHealth {
  if (inventory === undefined || isStale) return 'offline'
  const isWhole = inventory.nodes.every((node) => node.state === 'online')
  return failure === undefined && isWhole && inventory.isQuorate !== false ? 'online' : 'degraded'
}

function unexpected(cause: unknown): AppError {
  return new AppError('INTERNAL', 'The inventory could not be read.', { cause })
}
