import { and, eq, isNotNull, isNull, or } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { backups } from '../../db/schema/snapshots.ts'
import { instances } from '../../db/schema/stock.ts'
import type { Inventory } from '../../hypervisor/port/hypervisor.ts'

/**
 * VMs that have the id of a former server whose archives are still on a storage. Proxmox finds
 * archives by id, so restoring such a VM would show the former client's data. We never give an id out
 * twice, but an operator can in Proxmox.
 */
export async function reusedIds(db: Db, clusterId: number, inventory: Inventory | undefined) {
  const left = await db
    .selectDistinct({ vmId: backups.vmId, storage: backups.storage })
    .from(backups)
    .leftJoin(instances, eq(instances.id, backups.instanceId))
    .where(
      and(
        eq(backups.clusterId, clusterId),
        or(isNull(backups.instanceId), isNotNull(instances.missingSince)),
      ),
    )
  const there = [...(inventory?.vms ?? []), ...(inventory?.templates ?? [])]
  return there
    .map(({ vmId, name }) => ({
      vmId,
      name,
      storages: left.filter((one) => one.vmId === vmId).map(({ storage }) => storage),
    }))
    .filter(({ storages }) => storages.length > 0)
    .toSorted((a, b) => a.vmId - b.vmId)
}
