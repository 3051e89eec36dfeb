import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { templates, usedVmIds } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import type { InventoryCache } from '../../hypervisor/inventory-cache.ts'

/** Ids in our tables, and all that we ever gave out: an id is not used twice. */
export async function takenVmIds(db: Db, clusterId: number): Promise<Set<number>> {
  const own = await db
    .select({ vmId: instances.vmId })
    .from(instances)
    .where(eq(instances.clusterId, clusterId))
  const made = await db
    .select({ vmId: templates.templateId })
    .from(templates)
    .where(eq(templates.clusterId, clusterId))
  const given = await db
    .select({ vmId: usedVmIds.vmId })
    .from(usedVmIds)
    .where(eq(usedVmIds.clusterId, clusterId))
  return new Set([...own, ...made, ...given].map(({ vmId }) => vmId))
}

/** From now on the id is never given out again, whatever becomes of the VM. */
export async function rememberVmId(
  tx: Db,
  { clusterId, vmId, now }: { clusterId: number; vmId: number; now: Date },
): Promise<void> {
  await tx.insert(usedVmIds).values({ clusterId, vmId, givenAt: now }).onConflictDoNothing()
}

/**
 * The lowest id that is neither in our tables nor in the last list. The clone itself makes sure.
 */
export async function likelyFreeVmId(
  db: Db,
  cluster: { id: number; range: { first: number; last: number } },
  inventory: InventoryCache | undefined,
): Promise<number> {
  const taken = await takenVmIds(db, cluster.id)
  const { first, last } = cluster.range
  for (let vmId = first; vmId <= last; vmId += 1) {
    if (!taken.has(vmId) && inventory?.vm(vmId) === undefined) return vmId
  }
  throw new AppError('CONFLICT', `All VM ids from ${first} to ${last} are in use.`)
}
