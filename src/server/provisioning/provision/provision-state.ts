import { eq } from 'drizzle-orm'
import { z } from 'zod'
import type { ClusterSettings } from '#shared/api/servers/clusters.ts'
import { AppError } from '#shared/errors.ts'
import { type PoolRow, poolsOf } from '../../addresses/pool-rows.ts'
import type { Db } from '../../db/database.ts'
import { clusters, nodes, templates } from '../../db/schema/infrastructure.ts'
import { tokens } from '../../db/schema/stock.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import { type InstanceRow, instanceById } from '../../inventory/vm/instance-row.ts'
import type { StepContext } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import { reservedFor } from '../allocation/vm-ids.ts'
import type { Witness } from '../lifecycle/witness.ts'

export const ProvisionInput = z.object({
  orderId: z.number().int(),
  tokenId: z.number().int(),
  userId: z.number().int(),
  /** The name of the instance. */
  name: z.string(),
})
export type ProvisionInput = z.output<typeof ProvisionInput>
export type ProvisionContext = StepContext<ProvisionInput>
export type ProvisionDeps = JobDeps & { witness: Witness }

/**
 * The state a step works with, read again each time: a step may run hours after the previous one.
 */
export type ProvisionState = {
  token: TokenRow
  node: typeof nodes.$inferSelect
  cluster: typeof clusters.$inferSelect
  settings: ClusterSettings
  pools: PoolRow[]
  /** True for a VM that is sold as it is, false for one that we create. */
  isReady: boolean
  instance: InstanceRow | undefined
}

export async function loadProvisionState(db: Db, tokenId: number): Promise<ProvisionState> {
  const [found] = await db
    .select({ token: tokens, node: nodes, cluster: clusters })
    .from(tokens)
    .innerJoin(nodes, eq(nodes.id, tokens.nodeId))
    .innerJoin(clusters, eq(clusters.id, nodes.clusterId))
    .where(eq(tokens.id, tokenId))
  if (!found) throw new AppError('NOT_FOUND', 'The token or its node no longer exists.')
  const isReady = found.token.tokenType === 'ready'
  const instance = isReady
    ? await instanceById(db, found.token.instanceId)
    : ((await instanceById(db, found.token.assignedInstanceId)) ?? (await reservedFor(db, tokenId)))
  const pools = await poolsOf(db, [found.cluster.id])
  return { ...found, settings: settingsOf(found.cluster), pools, isReady, instance }
}

export function requireInstance({ instance }: ProvisionState): InstanceRow {
  if (instance) return instance
  throw new AppError('VM_MISSING', 'The record of the VM no longer exists.')
}

export async function templateOf(db: Db, { token }: ProvisionState) {
  const [found] = await db
    .select({ template: templates, node: nodes })
    .from(templates)
    .innerJoin(nodes, eq(nodes.id, templates.nodeId))
    .where(eq(templates.id, token.templateId ?? 0))
  if (!found || found.template.missingSince !== null) {
    throw new AppError('NOT_FOUND', 'The template no longer exists.')
  }
  return found
}
