import { and, eq, isNull, ne, or } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { sweepAddresses } from '../../addresses/settle-addresses.ts'
import type { Db } from '../../db/database.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import type { EventBus } from '../../events/event-bus.ts'
import type { ClusterHandle, Hypervisors } from '../../hypervisor/hypervisors.ts'
import type { InventoryView } from '../../hypervisor/inventory-cache.ts'
import { inTurn } from '../../lib/async/in-turn.ts'
import { inTime } from '../../lib/async/patience.ts'
import type { Background } from '../../lib/background.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { describeInstances, noteOwnAddresses } from './instance-details.ts'
import type { Snapshot } from './inventory-diff.ts'
import { otherNodes } from './other-nodes.ts'
import { createStrangers } from './strangers.ts'
import { type SyncResult, syncCluster } from './sync-cluster.ts'
import { describeTemplates } from './template-details.ts'
import { goneAmong, rememberHidden } from './vanished.ts'

/** The tables are compared at least this often, even if nothing seems to change. */
const COMPARE_MS = MINUTE_MS

export type SyncTotals = { nodes: number; templates: number; instances: number }

export type InventorySync = {
  /** From now on the result of every poll is stored, by one process at a time. */
  start(): void
  /** Asks the cluster now and stores the answer. Fails with the cluster's own reason. */
  now(clusterId: number): Promise<SyncTotals>
  stop(): void
}

type SyncDeps = { db: Db; events: EventBus; clock: Clock; hypervisors: Hypervisors; log: Log } & {
  background: Background
}

type Written = { facts: string; at: number }

export function inventorySync(deps: SyncDeps): InventorySync {
  const { db, events, clock, hypervisors, background } = deps
  const turns = inTurn()
  const waiting = new Set<number>()
  const lastWritten = new Map<number, Written>()
  const lastFailure = new Map<number, string>()
  const others = otherNodes(deps)
  const hidden = rememberHidden(() => clock.now().getTime())
  const strangersAmong = createStrangers(deps)
  let unsubscribe: (() => void) | undefined

  /** One at a time per cluster, in order: an earlier poll must not overwrite a later one. */
  const inLine = <T>(clusterId: number, work: () => Promise<T>) => turns(String(clusterId), work)

  const write = async (clusterId: number, waits: boolean): Promise<SyncResult | undefined> => {
    const handle = hypervisors.all().get(clusterId)
    const snapshot = handle && snapshotOf(handle)
    if (!handle || !snapshot) return undefined
    const strangers = await strangersAmong(clusterId, snapshot.vms, handle.hypervisor)
    let result = await syncCluster(deps, clusterId, snapshot, { waits, strangers })
    if (result === undefined) return undefined
    const gone = await goneAmong(result.unlisted, handle.hypervisor, hidden.of(clusterId))
    if (gone.size > 0)
      result = await syncCluster(deps, clusterId, snapshot, { waits, gone, strangers })
    lastWritten.set(clusterId, { facts: factsOf(snapshot), at: clock.now().getTime() })
    return result
  }

  const describe = async (clusterId: number): Promise<void> => {
    await others.look(clusterId)
    await noteOwnAddresses(deps, clusterId)
    await describeInstances(deps, clusterId)
    if ((await sweepAddresses(db, { clusterId, now: clock.now() })) > 0) {
      const changed = { type: 'changed' as const, nouns: ['pools'] }
      await db.transaction((tx) => events.emit(tx, 'admins', changed))
    }
  }

  const isNews = (clusterId: number): boolean => {
    const handle = hypervisors.all().get(clusterId)
    const snapshot = handle && snapshotOf(handle)
    const before = lastWritten.get(clusterId)
    if (!snapshot || !before) return true
    return clock.now().getTime() - before.at > COMPARE_MS || factsOf(snapshot) !== before.facts
  }

  const onGoodPoll = (clusterId: number): void => {
    lastFailure.delete(clusterId)
    if (waiting.has(clusterId) || !isNews(clusterId)) return
    waiting.add(clusterId)
    background.run('writing down an inventory', () =>
      inLine(clusterId, async () => {
        waiting.delete(clusterId)
        await write(clusterId, false)
        await describeTemplates(deps, clusterId, 'new')
        await describe(clusterId)
      }),
    )
  }

  /** Reported once per cause, so that pages show it and a restart remembers it. */
  const onBadPoll = (clusterId: number, failure: AppError): void => {
    lastWritten.delete(clusterId)
    if (lastFailure.get(clusterId) === failure.message) return
    lastFailure.set(clusterId, failure.message)
    background.run('noting that a cluster is away', () =>
      db.transaction(async (tx) => {
        const isNew = or(isNull(clusters.lastError), ne(clusters.lastError, failure.message))
        const noted = await tx
          .update(clusters)
          .set({ lastError: failure.message })
          .where(and(eq(clusters.id, clusterId), isNew))
          .returning({ id: clusters.id })
        if (noted.length === 0) return
        await events.emit(tx, 'admins', { type: 'changed', nouns: ['clusters', 'nodes'] })
      }),
    )
  }

  const onPoll = (clusterId: number, { failure }: InventoryView): void =>
    failure ? onBadPoll(clusterId, failure) : onGoodPoll(clusterId)

  return {
    start: () => {
      unsubscribe ??= hypervisors.onPoll(onPoll)
    },
    async now(clusterId) {
      const { inventory } = hypervisors.of(clusterId)
      const asked = await inTime(inventory.refresh())
      const { failure, inventory: seen } = inventory.view()
      if (failure) throw failure
      if (!asked.isDone || !seen) throw tooLate()
      await inLine(clusterId, async () => {
        await write(clusterId, true)
        await inTime(describeTemplates(deps, clusterId, 'all').then(() => describe(clusterId)))
      })
      const { nodes, templates, vms } = seen
      return { nodes: nodes.length, templates: templates.length, instances: vms.length }
    },
    stop: () => unsubscribe?.(),
  }
}

const tooLate = () =>
  new AppError('CLUSTER_UNAVAILABLE', 'The cluster did not answer in time.', { retryAfter: 10 })

/** The cluster's last answer, with our own later sightings; undefined without an answer. */
export function snapshotOf({ inventory }: ClusterHandle): Snapshot | undefined {
  const { inventory: seen, asOf } = inventory.view()
  // A cluster has at least one node: this answer was filtered down to nothing.
  if (seen === undefined || asOf === undefined || seen.nodes.length === 0) return undefined
  const vms = seen.vms.flatMap(({ vmId }) => inventory.vm(vmId) ?? [])
  return { nodes: seen.nodes, vms, templates: seen.templates, asOf }
}

/** Every fact that would be a reason to write, in one string. */
function factsOf({ nodes, vms, templates }: Snapshot): string {
  return JSON.stringify([
    nodes.map((node) => [node.name, node.state, node.memoryTotal, node.storageTotal, node.vmCount]),
    vms.map(({ vmId, name, node, lastKnown }) => [vmId, name, node, lastKnown]),
    templates.map(({ vmId, name, node }) => [vmId, name, node]),
  ])
}
