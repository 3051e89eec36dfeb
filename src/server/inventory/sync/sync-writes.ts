import { and, eq, inArray, isNull, notExists, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { nodes, templates } from '../../db/schema/infrastructure.ts'
import { orders } from '../../db/schema/sales.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { instanceChanges, nodeChanges, templateChanges } from './inventory-diff.ts'

type When = { clusterId: number; asOf: Date }
/**
 * Writes ten thousand rows in a few statements, none of them too large for the embedded database.
 */
const BATCH = 2000

function* batches<T>(rows: readonly T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += BATCH) yield rows.slice(at, at + BATCH)
}

const json = (rows: readonly unknown[]) => JSON.stringify(rows)

type NodeId = { id: number; name: string }

/** Returns the ids of the written rows. */
export async function writeNodes(
  tx: Db,
  { changed, left }: ReturnType<typeof nodeChanges>,
  { clusterId, asOf }: When,
): Promise<NodeId[]> {
  const at = asOf.toISOString()
  if (left.length > 0) {
    await tx
      .update(nodes)
      .set({ status: 'unknown', vmCount: 0, cpuUsage: null, lastUpdated: asOf })
      .where(and(eq(nodes.clusterId, clusterId), inArray(nodes.name, left)))
  }
  if (changed.length === 0) return []
  const result = await tx.execute(sql`
    insert into nodes (cluster_id, name, status, cpu_usage, memory_used, memory_total,
      storage_used, storage_total, vm_count, last_updated)
    select ${clusterId}, n.name, n.status, n."cpuUsage", n."memoryUsed", n."memoryTotal",
      n."storageUsed", n."storageTotal", n."vmCount", ${at}::timestamptz
    from jsonb_to_recordset(${json(changed)}::jsonb) as n(name text, status text,
      "cpuUsage" float8, "memoryUsed" int8, "memoryTotal" int8, "storageUsed" int8,
      "storageTotal" int8, "vmCount" int4)
    on conflict (cluster_id, name) do update set status = excluded.status,
      cpu_usage = excluded.cpu_usage, memory_used = excluded.memory_used,
      memory_total = excluded.memory_total, storage_used = excluded.storage_used,
      storage_total = excluded.storage_total, vm_count = excluded.vm_count,
      last_updated = excluded.last_updated
    returning id, name`)
  return (result as unknown as { rows: NodeId[] }).rows
}

/** Deletes a node that left its cluster once nothing refers to it any more. */
export async function forgetEmptyNodes(tx: Db, clusterId: number): Promise<void> {
  const refers = (table: typeof instances | typeof tokens | typeof templates) =>
    tx.select({ one: sql`1` }).from(table).where(eq(table.nodeId, nodes.id))
  const ordered = tx.select({ one: sql`1` }).from(orders).where(eq(orders.assignedNodeId, nodes.id))
  await tx
    .delete(nodes)
    .where(
      and(
        eq(nodes.clusterId, clusterId),
        eq(nodes.status, 'unknown'),
        eq(nodes.vmCount, 0),
        notExists(refers(instances)),
        notExists(refers(tokens)),
        notExists(refers(templates)),
        notExists(ordered),
      ),
    )
}

export async function writeTemplates(
  tx: Db,
  { changed, missing }: ReturnType<typeof templateChanges>,
  { clusterId, asOf }: When,
): Promise<number> {
  for (const rows of batches(changed)) {
    await tx.execute(sql`
      insert into templates (cluster_id, template_id, name, node_id)
      select ${clusterId}, t."templateId", left(t.name, 255), t."nodeId"
      from jsonb_to_recordset(${json(rows)}::jsonb)
        as t("templateId" int4, name text, "nodeId" int4)
      on conflict (cluster_id, template_id) do update
        set name = excluded.name, node_id = excluded.node_id, missing_since = null`)
  }
  if (missing.length > 0) {
    await tx
      .update(templates)
      .set({ missingSince: asOf })
      .where(
        and(
          eq(templates.clusterId, clusterId),
          inArray(templates.templateId, missing),
          isNull(templates.missingSince),
        ),
      )
  }
  return changed.length + missing.length
}

type Owned = { owner: number | null }

/**
 * Returns the owners of the written instances. A row that changed since it was read is left alone.
 */
export async function writeInstances(
  tx: Db,
  { changed, missing }: ReturnType<typeof instanceChanges>,
  { clusterId, asOf }: When,
): Promise<Owned[]> {
  const written: Owned[] = []
  for (const rows of batches(changed)) {
    const result = await tx.execute(sql`
      insert into instances (cluster_id, vm_id, name, node_id, status, uptime, cpu_usage,
        memory_used, last_updated)
      select ${clusterId}, v."vmId", left(v.name, 255), v."nodeId", v.status, v.uptime,
        v."cpuUsage", v."memoryUsed", v."lastUpdated"
      from jsonb_to_recordset(${json(rows)}::jsonb) as v("vmId" int4, name text, "nodeId" int4,
        status text, uptime int4, "cpuUsage" float8, "memoryUsed" int8, "lastUpdated" timestamptz)
      on conflict (cluster_id, vm_id) do update set
        -- A VM that we made is called in the cluster what we call it there.
        name = case when instances.marker is null then excluded.name else instances.name end,
        node_id = excluded.node_id, status = excluded.status, uptime = excluded.uptime,
        cpu_usage = excluded.cpu_usage, memory_used = excluded.memory_used,
        last_updated = excluded.last_updated, missing_since = null
      where instances.last_updated is null or instances.last_updated <= excluded.last_updated
      returning owner_id as owner`)
    written.push(...(result as unknown as { rows: Owned[] }).rows)
  }
  if (missing.length > 0) {
    const marked = await tx
      .update(instances)
      .set({ missingSince: asOf, uptime: 0, cpuUsage: null, memoryUsed: null })
      .where(
        and(
          eq(instances.clusterId, clusterId),
          inArray(instances.vmId, missing),
          isNull(instances.missingSince),
        ),
      )
      .returning({ owner: instances.ownerId })
    written.push(...marked)
  }
  return written
}
