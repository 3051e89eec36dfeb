import { isIPv4 } from 'node:net'
import { and, eq, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { clusters, nodes } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import type { EventBus } from '../../events/event-bus.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import type { Hypervisor } from '../../hypervisor/port/hypervisor.ts'
import type { Clock } from '../../lib/clock.ts'

type DetailsDeps = { db: Db; clock: Clock; events: EventBus; hypervisors: Hypervisors }

/**
 * Per round; the rest follows at the next poll. A cluster that was just added may have thousands.
 */
const PER_ROUND = 60
/** How long until a guest that could not be asked is asked again. */
const SOON_MS = 10 * MINUTE_MS

const isStill = (describedAt: Date | null): SQL =>
  describedAt === null ? isNull(instances.describedAt) : eq(instances.describedAt, describedAt)

/**
 * Reads what only the configuration of a VM that we did not make contains: its addresses, which no
 * client may get, its identity, and its creation time. Read once, and again each day. Returns how
 * many were read.
 */
export async function describeInstances(
  { db, clock, events, hypervisors }: DetailsDeps,
  clusterId: number,
): Promise<number> {
  const handle = hypervisors.all().get(clusterId)
  if (!handle) return 0
  const now = clock.now()
  const stale = new Date(now.getTime() - DAY_MS)
  const rows = await db
    .select({
      id: instances.id,
      vmId: instances.vmId,
      node: nodes.name,
      at: instances.createdAt,
      uuid: instances.uuid,
      ownerId: instances.ownerId,
      tokenId: instances.tokenId,
      describedAt: instances.describedAt,
    })
    .from(instances)
    .innerJoin(nodes, eq(nodes.id, instances.nodeId))
    .where(
      and(
        eq(instances.clusterId, clusterId),
        isNull(instances.marker),
        isNull(instances.missingSince),
        or(isNull(instances.describedAt), lt(instances.describedAt, stale)),
      ),
    )
    .orderBy(instances.describedAt)
    .limit(PER_ROUND)
  let read = 0
  for (const row of rows) {
    const { vmId, node } = row
    const found = await detailsOf(handle.hypervisor, { vmId, node })
    if (found === undefined) continue
    const { addresses: seenAddresses, createdAt = row.at, isComplete } = found
    const uuid = found.uuid ?? null
    // A client has, or could buy, the VM that was here before: this one says nothing about it.
    if (row.uuid !== null && row.uuid !== uuid && isPromised(row)) continue
    const describedAt = isComplete ? now : new Date(stale.getTime() + SOON_MS)
    await db
      .update(instances)
      .set({ seenAddresses, createdAt, describedAt, uuid })
      // Another process, or the sync of another moment, may have described it meanwhile.
      .where(and(eq(instances.id, row.id), isStill(row.describedAt)))
    read += 1
  }
  if (read > 0) {
    await db.transaction((tx) =>
      events.emit(tx, 'admins', { type: 'changed', nouns: ['instances'] }),
    )
  }
  return read
}

const isPromised = ({ ownerId, tokenId }: { ownerId: number | null; tokenId: number | null }) =>
  ownerId !== null || tokenId !== null

/** Undefined if the cluster cannot answer now: asked again at the next poll. */
async function detailsOf(hypervisor: Hypervisor, vm: { vmId: number; node: string }) {
  try {
    const { uuid, addresses: own, createdAt, hasAgent } = await hypervisor.traits(vm)
    const reported = hasAgent ? await reportedBy(hypervisor, vm) : []
    const isComplete = !hasAgent || reported.length > 0
    const addresses = [...new Set([...own, ...reported])].sort()
    return { uuid, addresses, createdAt, isComplete }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Best effort: a guest that is off, silent or not ours to ask reports nothing. */
async function reportedBy(hypervisor: Hypervisor, vm: { vmId: number; node: string }) {
  try {
    return (await hypervisor.guestAddresses(vm)).filter((address) => isIPv4(address))
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

/**
 * Stores the current addresses of nodes, bridges and gateways. Without an answer the old ones stay.
 */
export async function noteOwnAddresses(
  { db, hypervisors }: { db: Db; hypervisors: Hypervisors },
  clusterId: number,
): Promise<void> {
  const handle = hypervisors.all().get(clusterId)
  if (!handle) return
  try {
    const ownAddresses = await handle.hypervisor.ownAddresses()
    const isOther = sql`${clusters.ownAddresses} <> ${JSON.stringify(ownAddresses)}::jsonb`
    await db
      .update(clusters)
      .set({ ownAddresses })
      .where(and(eq(clusters.id, clusterId), isOther))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}
