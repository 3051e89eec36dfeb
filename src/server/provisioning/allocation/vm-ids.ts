import { and, between, eq, sql } from 'drizzle-orm'
import type { ClusterSettings } from '#shared/api/servers/clusters.ts'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { type clusters, usedVmIds } from '../../db/schema/infrastructure.ts'
import type { ServerSetup } from '../../db/schema/sales.ts'
import { instances } from '../../db/schema/stock.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import type { Hypervisor } from '../../hypervisor/port/hypervisor.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import type { InstanceRow } from '../../inventory/vm/instance-row.ts'
import { putKeysOn } from '../../inventory/vm/server-keys.ts'
import { vmMarker } from '../../inventory/vm/vm-marker.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'

type ClusterRow = typeof clusters.$inferSelect

/** Advisory lock, taken with the cluster's id by every transaction that allocates VM ids of it. */
const VM_ID_LOCK = 7_304_213

type Reservation = {
  token: TokenRow
  cluster: ClusterRow
  name: string
  ownerId: number
  now: Date
  /** What the client chose. */
  setup?: ServerSetup | null
}

/** The row that a job has reserved for this token, if any. */
export async function reservedFor(db: Db, tokenId: number): Promise<InstanceRow | undefined> {
  const [row] = await db
    .select()
    .from(instances)
    .where(and(eq(instances.tokenId, tokenId), eq(instances.status, 'creating')))
  return row
}

/**
 * Reserves a VM id with our own row before the cluster is called: the constraint on (cluster, VM
 * id) makes it unique. The marker contains the row's id, so it is written right after.
 */
export async function reserveVmId(
  tx: Db,
  { token, cluster, name, ownerId, now, setup }: Reservation,
  hypervisors: Hypervisors,
): Promise<InstanceRow> {
  const reserved = await reservedFor(tx, token.id)
  if (reserved) return reserved
  const vmId = await freeVmId(tx, cluster, hypervisors)
  const [row] = await tx
    .insert(instances)
    .values({
      clusterId: cluster.id,
      vmId,
      nodeId: token.nodeId,
      templateId: token.templateId,
      tokenId: token.id,
      ownerId,
      name,
      label: setup?.label ?? null,
      hostname: await freeHostname(tx, ownerId, setup?.hostname),
      ipAddress: token.ipAddress,
      ipv6Address: token.ipv6Address,
      status: 'creating',
      monthlyPriceCents: token.monthlyPriceCents,
      createdAt: now,
      lastUpdated: now,
    })
    .onConflictDoNothing()
    .returning()
  // The inventory sync may just have found a VM with this id.
  if (!row) throw new AppError('LOCKED', 'The VM id was taken meanwhile.', { retryAfter: 1 })
  const marker = vmMarker(cluster.uid, row.id)
  await tx.update(instances).set({ marker }).where(eq(instances.id, row.id))
  await putKeysOn(tx, row.id, setup?.sshKeys ?? [])
  return { ...row, marker }
}

/** The hostname that was ordered, unless another server of the client took it meanwhile. */
async function freeHostname(tx: Db, ownerId: number, hostname: string | undefined) {
  if (hostname === undefined) return null
  const [other] = await tx
    .select({ id: instances.id })
    .from(instances)
    .where(and(eq(instances.ownerId, ownerId), eq(instances.hostname, hostname)))
  return other ? null : hostname
}

type Another = {
  cluster: ClusterRow
  /** Ids that archives on the cluster belong to. */
  archived: ReadonlySet<number>
}

/**
 * The reserved id belongs to another VM on the cluster, or archives of a former one do: reserves the
 * next free one.
 */
export async function takeAnotherVmId(
  tx: Db,
  row: InstanceRow,
  { cluster, archived }: Another,
  hypervisors: Hypervisors,
): Promise<InstanceRow> {
  const vmId = await freeVmId(tx, cluster, hypervisors, { after: row.vmId, archived })
  const [moved] = await tx
    .update(instances)
    .set({ vmId })
    .where(and(eq(instances.id, row.id), eq(instances.status, 'creating')))
    .returning()
  if (!moved) throw new AppError('INVALID_STATE', 'The reservation of the VM id was given up.')
  return moved
}

/** All ids with archives: one by one, a long row of them would never be passed. */
export const archivedVmIds = async (hypervisor: Hypervisor): Promise<Set<number>> =>
  new Set((await hypervisor.archivesOnCluster()).map(({ vmId }) => vmId))

/** True if the cluster confirms it: no VM has this id, and no archive is of one that had it. */
export const isUnusedVmId = async (hypervisor: Hypervisor, vmId: number): Promise<boolean> =>
  (await hypervisor.isGone(vmId)) && (await hypervisor.archivesOnCluster(vmId)).length === 0

const NONE: ReadonlySet<number> = new Set()

/**
 * The lowest id after `after` that we never gave out, and that is neither in our rows nor in the last
 * list of the cluster.
 */
async function freeVmId(
  tx: Db,
  cluster: ClusterRow,
  hypervisors: Hypervisors,
  { after, archived } = { after: 0, archived: NONE },
): Promise<number> {
  await tx.execute(sql`select pg_advisory_xact_lock(${VM_ID_LOCK}, ${cluster.id})`)
  const range: ClusterSettings['vmIdRange'] = settingsOf(cluster).vmIdRange
  const ours = await tx
    .select({ vmId: instances.vmId })
    .from(instances)
    .where(
      and(eq(instances.clusterId, cluster.id), between(instances.vmId, range.first, range.last)),
    )
  const given = await tx
    .select({ vmId: usedVmIds.vmId })
    .from(usedVmIds)
    .where(
      and(eq(usedVmIds.clusterId, cluster.id), between(usedVmIds.vmId, range.first, range.last)),
    )
  const inventory = hypervisors.all().get(cluster.id)?.inventory.view().inventory
  const theirs = [...(inventory?.vms ?? []), ...(inventory?.templates ?? [])]
  const taken = new Set([...ours, ...given, ...theirs].map(({ vmId }) => vmId))
  for (let vmId = Math.max(range.first, after + 1); vmId <= range.last; vmId += 1) {
    if (!taken.has(vmId) && !archived.has(vmId)) return vmId
  }
  throw new AppError('CONFLICT', 'No VM id is free in the range of this cluster.')
}
