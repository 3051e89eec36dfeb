import { and, countDistinct, eq, inArray, isNotNull, or, sql } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { clusters, nodes, templates } from '../../db/schema/infrastructure.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { ClusterRow } from '../../inventory/clusters/cluster-store.ts'

/**
 * Deletes a cluster with its nodes, templates and instances, unless a client depends on it (I8).
 */
export async function removeCluster(tx: Db, id: number): Promise<ClusterRow> {
  const [row] = await tx.select().from(clusters).where(eq(clusters.id, id)).for('update')
  if (!row) throw notFound('Cluster')
  // Prevents a sale between the check and the deletion.
  await tx.execute(sql`lock table tokens, instances in share row exclusive mode`)
  const used = await usedTokens(tx, id)
  if (used > 0) {
    const what = used === 1 ? '1 server of a client is' : `${used} servers of clients are`
    throw new AppError('IN_USE', `${what} on this cluster. End them first, on Instances.`)
  }
  const [owned] = await tx
    .select({ id: instances.id, name: instances.name })
    .from(instances)
    .where(and(eq(instances.clusterId, id), isNotNull(instances.ownerId)))
    .limit(1)
  if (owned) {
    throw new AppError(
      'IN_USE',
      `The instance ${owned.name} is kept for a client whose server has ended. Delete it first, on Instances.`,
    )
  }
  await tx.delete(instances).where(eq(instances.clusterId, id))
  await tx.delete(clusters).where(eq(clusters.id, id))
  return row
}

async function usedTokens(tx: Db, clusterId: number): Promise<number> {
  const here = {
    nodes: tx.select({ id: nodes.id }).from(nodes).where(eq(nodes.clusterId, clusterId)),
    templates: tx
      .select({ id: templates.id })
      .from(templates)
      .where(eq(templates.clusterId, clusterId)),
    instances: tx
      .select({ id: instances.id })
      .from(instances)
      .where(eq(instances.clusterId, clusterId)),
  }
  const [used] = await tx
    .select({ of: countDistinct(tokens.id) })
    .from(tokens)
    .where(
      and(
        inArray(tokens.status, ['pending', 'assigned', 'expired']),
        or(
          inArray(tokens.nodeId, here.nodes),
          inArray(tokens.templateId, here.templates),
          inArray(tokens.instanceId, here.instances),
          inArray(tokens.assignedInstanceId, here.instances),
        ),
      ),
    )
  return used?.of ?? 0
}
