import { and, eq, isNull, or, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { nodes, templates } from '../../db/schema/infrastructure.ts'
import type { EventBus } from '../../events/event-bus.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'

type DetailsDeps = { db: Db; events: EventBus; hypervisors: Hypervisors }

/**
 * Reads what only a template's own configuration contains: its operating system, its description,
 * the storages of its disks and whether its clones can use cloud-init. Asked once for a new one,
 * and for all when an admin syncs. A template that cannot be read does not fail the sync.
 */
export async function describeTemplates(
  { db, events, hypervisors }: DetailsDeps,
  clusterId: number,
  which: 'all' | 'new',
): Promise<void> {
  const handle = hypervisors.all().get(clusterId)
  if (!handle) return
  const rows = await db
    .select({ id: templates.id, vmId: templates.templateId, node: nodes.name })
    .from(templates)
    .innerJoin(nodes, eq(nodes.id, templates.nodeId))
    .where(
      and(
        eq(templates.clusterId, clusterId),
        isNull(templates.missingSince),
        which === 'new' ? or(isNull(templates.osType), isNull(templates.storages)) : undefined,
      ),
    )
  const details = await Promise.all(
    rows.map(async ({ id, vmId, node }) => {
      try {
        const { ostype, description } = await handle.hypervisor.config({ vmId, node })
        const { hasCloudInit, storages } = await handle.hypervisor.traits({ vmId, node })
        return [{ id, osType: ostype.slice(0, 100), description, hasCloudInit, storages }]
      } catch (error) {
        if (error instanceof AppError) return []
        throw error
      }
    }),
  )
  await db.transaction(async (tx) => {
    let written = 0
    for (const { id, ...found } of details.flat()) {
      const { osType, description, hasCloudInit, storages } = found
      const isOther = sql`(${templates.osType}, ${templates.description}, ${templates.hasCloudInit},
        ${templates.storages}) is distinct from (${osType}::text, ${description}::text,
        ${hasCloudInit}::boolean, ${JSON.stringify(storages)}::jsonb)`
      const changed = await tx
        .update(templates)
        .set(found)
        .where(and(eq(templates.id, id), isOther))
        .returning({ id: templates.id })
      written += changed.length
    }
    if (written === 0) return
    await events.emit(tx, 'admins', { type: 'changed', nouns: ['templates'] })
  })
}
