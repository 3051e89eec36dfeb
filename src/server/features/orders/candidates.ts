import { and, asc, eq, isNull, ne, notExists } from 'drizzle-orm'
import type { z } from 'zod'
import type { Candidate } from '#shared/api/shop/orders.ts'
import { realSizeWords, shortfallOf } from '#shared/rules/instance/size-shortfall.ts'
import type { Db } from '../../db/database.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import type { OrderRow } from '../../orders/orders.ts'

type CandidateDeps = { db: Db; hypervisors: Hypervisors }

/**
 * The VMs of a node without an owner, with their real size beside what the order promises. Only
 * those that Hushbox made are stock; the others belong to the operator until the operator links
 * one.
 */
export async function candidates(
  order: OrderRow,
  nodeId: number,
  { db, hypervisors }: CandidateDeps,
): Promise<z.input<typeof Candidate>[]> {
  const onSale = db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(eq(tokens.instanceId, instances.id), ne(tokens.status, 'cancelled')))
  const rows = await db
    .select()
    .from(instances)
    .where(
      and(
        eq(instances.nodeId, nodeId),
        isNull(instances.ownerId),
        isNull(instances.tokenId),
        isNull(instances.missingSince),
        notExists(onSale),
      ),
    )
    .orderBy(asc(instances.vmId))
  return rows.map((row) => {
    const seen = hypervisors.all().get(row.clusterId)?.inventory.vm(row.vmId)
    const real = {
      cpu: seen?.cpuCount,
      memoryBytes: seen?.memoryTotal,
      diskBytes: seen?.diskTotal,
    }
    return {
      vmId: row.vmId,
      name: row.name,
      status: seen?.state ?? 'unknown',
      isOurs: row.marker !== null,
      size: realSizeWords(real),
      shortfall: shortfallOf(order.serverName ?? order.planName, real) ?? null,
    }
  })
}
