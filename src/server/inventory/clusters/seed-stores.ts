import type { Db } from '../../db/database.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import { storeFor } from '../../hypervisor/port/seed.ts'

/** What a client reads where servers take no user data. */
export const NOT_OFFERED =
  'The operator has not set the cluster up for start-up scripts: it needs a storage to which they can be uploaded.'

type Place = { clusterId: number; name: string }

/** Whether a VM on this node can be given user data: false until the cluster has answered. */
export function takesUserData({ clusterId, name }: Place, hypervisors: Hypervisors): boolean {
  const stores = hypervisors.all().get(clusterId)?.inventory.view().inventory?.seedStores
  return stores !== undefined && storeFor(stores, name) !== undefined
}

/** The nodes on which it can. */
export async function nodesTakingUserData(db: Db, hypervisors: Hypervisors): Promise<Set<number>> {
  const rows = await db.select().from(nodes)
  return new Set(rows.filter((row) => takesUserData(row, hypervisors)).map(({ id }) => id))
}
