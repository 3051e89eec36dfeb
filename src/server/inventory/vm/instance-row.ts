import { eq } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import type { VmAddress } from '../../hypervisor/port/hypervisor.ts'
import { identityOf } from './vm-marker.ts'

export type InstanceRow = typeof instances.$inferSelect

export async function instanceById(db: Db, id: number | null): Promise<InstanceRow | undefined> {
  if (id === null) return undefined
  const [row] = await db.select().from(instances).where(eq(instances.id, id))
  return row
}

/** The intended VM; one that we made must prove it by its marker. */
export async function vmOf(db: Db, instance: InstanceRow): Promise<VmAddress> {
  const [node] =
    instance.nodeId === null
      ? []
      : await db.select({ name: nodes.name }).from(nodes).where(eq(nodes.id, instance.nodeId))
  return { vmId: instance.vmId, node: node?.name, ...identityOf(instance) }
}

export async function nodeIdOf(db: Db, clusterId: number, name: string): Promise<number | null> {
  const rows = await db.select().from(nodes).where(eq(nodes.clusterId, clusterId))
  return rows.find((node) => node.name === name)?.id ?? null
}
