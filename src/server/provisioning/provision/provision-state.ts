import { eq } from 'drizzle-orm'
import { z } from 'zod'
import type { ClusterSettings } from '#shared/api/servers/clusters.ts'
import { AppError } from '#shared/errors.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { clusters, nodes, templates } from '../../db/schema/infrastructure.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { concerned } from '../../events/event-bus.ts'
import type { VmAddress } from '../../hypervisor/port/hypervisor.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import { identityOf } from '../../inventory/vm/vm-marker.ts'
import type { StepContext } from '../../jobs/job-definition.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import { type InstanceRow, reservedFor } from '../allocation/vm-ids.ts'

export type SagaDeps = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'keyring' | 'events' | 'hypervisors' | 'log'
> & { audit: Audit }

export const ProvisionInput = z.object({
  orderId: z.number().int(),
  tokenId: z.number().int(),
  userId: z.number().int(),
  /** What the instance is called. */
  name: z.string(),
})
export type ProvisionInput = z.output<typeof ProvisionInput>
export type ProvisionContext = StepContext<ProvisionInput>

/** What a step works with, read anew each time: a step may run hours after the one before. */
export type World = {
  token: TokenRow
  node: typeof nodes.$inferSelect
  cluster: typeof clusters.$inferSelect
  settings: ClusterSettings
  /** A VM that is sold as it stands, or one that we make. */
  isReady: boolean
  instance: InstanceRow | undefined
}

export async function readWorld(db: Db, tokenId: number): Promise<World> {
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
  return { ...found, settings: settingsOf(found.cluster), isReady, instance }
}

export async function instanceById(db: Db, id: number | null): Promise<InstanceRow | undefined> {
  if (id === null) return undefined
  const [row] = await db.select().from(instances).where(eq(instances.id, id))
  return row
}

export function requireInstance({ instance }: World): InstanceRow {
  if (instance) return instance
  throw new AppError('VM_MISSING', 'The record of the VM no longer exists.')
}

export async function templateOf(db: Db, { token }: World) {
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

/** Which VM is meant; one that we made must prove it by its marker. */
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

/** Every page that shows tokens, orders, instances or what is due reads again. */
export async function tellOwner(tx: Db, events: Deps['events'], userId: number | null) {
  const nouns = ['tokens', 'instances', 'orders', 'billing']
  await events.emitAll(tx, [
    { audience: 'everyone', body: { type: 'changed', nouns: ['tokens'] } },
    ...concerned(userId).map((audience) => ({
      audience,
      body: { type: 'changed', nouns } as const,
    })),
  ])
}
