import { eq, sql } from 'drizzle-orm'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { clusters, nodes, templates } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import type { Audience, EventBus } from '../../events/event-bus.ts'
import type { Clock } from '../../lib/clock.ts'
import { isHeldByJob } from '../vm/acts-under-way.ts'
import {
  type Gone,
  instanceChanges,
  isBare,
  type KnownInstance,
  nodeChanges,
  type Snapshot,
  templateChanges,
} from './inventory-diff.ts'
import type { Strangers } from './strangers.ts'
import { forgetEmptyNodes, writeInstances, writeNodes, writeTemplates } from './sync-writes.ts'

const SYNC_LOCK = 7_304_212
/** How old `lastSyncAt` may be while nothing changes. */
const NOTE_MS = 5 * MINUTE_MS

export type SyncResult = {
  /** Rows written; all zero if the table already matched the cluster. */
  written: { nodes: number; templates: number; instances: number }
  /** Known, but not listed: gone, or hidden from us. Only the cluster can tell which. */
  unlisted: number[]
}

type SyncDeps = { db: Db; events: EventBus; clock: Clock }
type SyncOptions = {
  gone?: Gone
  strangers?: Strangers
  /** Waits for another process that syncs the same cluster, instead of leaving it to that one. */
  waits?: boolean
}

/**
 * Makes our rows match the cluster. One process at a time per cluster; compares before it writes,
 * writes in batches, deletes nothing of ours. Undefined if another process is syncing, or the
 * cluster was removed.
 */
export function syncCluster(
  { db, events, clock }: SyncDeps,
  clusterId: number,
  snapshot: Snapshot,
  { gone: vanished = new Set(), strangers = NO_STRANGERS, waits = false }: SyncOptions = {},
): Promise<SyncResult | undefined> {
  return db.transaction(async (tx) => {
    if (!(await lock(tx, clusterId, waits))) return undefined
    const [cluster] = await tx
      .select()
      .from(clusters)
      .where(eq(clusters.id, clusterId))
      .for('share')
    if (!cluster) return undefined
    const nodeIds = await syncNodes(tx, clusterId, snapshot)
    const place = <V extends { node: string }>(vm: V) => ({
      ...vm,
      nodeId: nodeIds.ids.get(vm.node) ?? null,
    })
    const known = await knownRows(tx, clusterId)
    const gone = union(vanished, strangers.others)
    const listed = withoutStrangers(asKnown(snapshot, known), strangers)
    const placed = listed.templates
      .map(place)
      .flatMap(({ nodeId, ...vm }) => (nodeId === null ? [] : [{ ...vm, nodeId }]))
    const listedAs = turned(listed)
    const ofTemplates = templateChanges(placed, known.templates, union(gone, listedAs.vms))
    const ofInstances = instanceChanges(listed.vms.map(place), known.instances, {
      gone: union(gone, listedAs.templates),
      now: clock.now(),
    })
    const when = { clusterId, asOf: snapshot.asOf }
    const written = {
      nodes: nodeIds.written,
      templates: await writeTemplates(tx, ofTemplates, when),
      ...(await instancesWritten(tx, ofInstances, when)),
    }
    if (nodeIds.hasLeft) await forgetEmptyNodes(tx, clusterId)
    await tell(tx, events, written)
    await noteSync(tx, cluster, snapshot.asOf, events)
    const { owners: _, ...counts } = written
    const unlisted = [...ofTemplates.unlisted, ...ofInstances.unlisted]
    return { written: counts, unlisted: unlisted.filter((vmId) => !strangers.doubtful.has(vmId)) }
  })
}

async function lock(tx: Db, clusterId: number, waits: boolean): Promise<boolean> {
  const take = waits
    ? sql`select true as held from (select pg_advisory_xact_lock(${SYNC_LOCK}, ${clusterId})) l`
    : sql`select pg_try_advisory_xact_lock(${SYNC_LOCK}, ${clusterId}) as held`
  const { rows } = (await tx.execute(take)) as unknown as { rows: { held: boolean }[] }
  return rows[0]?.held === true
}

async function syncNodes(tx: Db, clusterId: number, { nodes: seen, asOf }: Snapshot) {
  const known = await tx.select().from(nodes).where(eq(nodes.clusterId, clusterId))
  const { changed, left } = nodeChanges(seen, known)
  const added = await writeNodes(tx, { changed, left }, { clusterId, asOf })
  const ids = new Map([...known, ...added].map(({ name, id }) => [name, id]))
  return { ids, written: changed.length + left.length, hasLeft: left.length > 0 }
}

async function knownRows(tx: Db, clusterId: number) {
  return {
    templates: await tx
      .select({
        templateId: templates.templateId,
        name: templates.name,
        nodeId: templates.nodeId,
        missingSince: templates.missingSince,
      })
      .from(templates)
      .where(eq(templates.clusterId, clusterId)),
    instances: await tx
      .select({
        vmId: instances.vmId,
        name: instances.name,
        nodeId: instances.nodeId,
        status: instances.status,
        missingSince: instances.missingSince,
        lastUpdated: instances.lastUpdated,
        marker: instances.marker,
      })
      .from(instances)
      .where(eq(instances.clusterId, clusterId)),
  }
}

/** For this long PVE's list repeats what it knew of an id before (facts-3 §2). */
const LIST_LAG_MS = 15_000

/**
 * The list without what it cannot know: an entry without a name may be a template that we know, and
 * one that shows a new VM of ours as a template describes the previous holder of its id.
 */
function asKnown(
  { vms, templates: made, asOf }: Snapshot,
  known: { templates: { templateId: number }[]; instances: KnownInstance[] },
): Pick<Snapshot, 'vms' | 'templates'> {
  const knownTemplates = new Set(known.templates.map(({ templateId }) => templateId))
  const certain = asOf.getTime() - LIST_LAG_MS
  const fresh = new Set(
    known.instances
      .filter(({ missingSince, status, lastUpdated }) => {
        const isNew = isHeldByJob(status) || (lastUpdated?.getTime() ?? 0) > certain
        return missingSince === null && isNew
      })
      .map(({ vmId }) => vmId),
  )
  return {
    vms: vms.filter((vm) => !(isBare(vm) && knownTemplates.has(vm.vmId))),
    templates: made.filter(({ vmId }) => !fresh.has(vmId)),
  }
}

const NO_STRANGERS: Strangers = { others: new Set(), doubtful: new Set() }

const withoutStrangers = (
  { vms, templates: made }: Pick<Snapshot, 'vms' | 'templates'>,
  { others, doubtful }: Strangers,
) => ({
  vms: vms.filter(({ vmId }) => !others.has(vmId) && !doubtful.has(vmId)),
  templates: made,
})

/** A VM that became a template is gone as a VM, and vice versa: the list itself shows it. */
const turned = ({ vms, templates: made }: Pick<Snapshot, 'vms' | 'templates'>) => ({
  vms: new Set(vms.filter((vm) => !isBare(vm)).map(({ vmId }) => vmId)),
  templates: new Set(made.map(({ vmId }) => vmId)),
})

const union = (a: Gone, b: Gone): Gone => (b.size === 0 ? a : new Set([...a, ...b]))

async function instancesWritten(
  tx: Db,
  changes: ReturnType<typeof instanceChanges>,
  when: { clusterId: number; asOf: Date },
) {
  const rows = await writeInstances(tx, changes, when)
  const owners = new Set(rows.flatMap(({ owner }) => owner ?? []))
  return { instances: rows.length, owners: [...owners] }
}

type Written = SyncResult['written'] & { owners: number[] }

async function tell(tx: Db, events: EventBus, written: Written): Promise<void> {
  const nouns = (['nodes', 'templates', 'instances'] as const).filter((noun) => written[noun] > 0)
  if (nouns.length > 0) await events.emit(tx, 'admins', { type: 'changed', nouns })
  const owners = written.owners.map((owner): Audience => `user:${owner}`)
  if (owners.length > 0) await events.emit(tx, owners, { type: 'changed', nouns: ['instances'] })
}

/** Records the time of the answer now and then, and at once if there was none before. */
async function noteSync(
  tx: Db,
  cluster: typeof clusters.$inferSelect,
  asOf: Date,
  events: EventBus,
): Promise<void> {
  const { id, lastSyncAt, lastError } = cluster
  const isFirst = lastSyncAt === null || lastError !== null
  if (!isFirst && asOf.getTime() - lastSyncAt.getTime() < NOTE_MS) return
  await tx.update(clusters).set({ lastSyncAt: asOf, lastError: null }).where(eq(clusters.id, id))
  if (isFirst) await events.emit(tx, 'admins', { type: 'changed', nouns: ['clusters'] })
}
