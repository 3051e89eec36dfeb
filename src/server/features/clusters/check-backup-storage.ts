import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { BackupStorage } from '../../hypervisor/port/backups.ts'
import type { Inventory } from '../../hypervisor/port/hypervisor.ts'

const invalid = (message: string) =>
  new AppError('INVALID_INPUT', message, {
    details: [{ path: 'settings.backupStorage', message }],
  })

type Given = { seen: readonly BackupStorage[]; inventory: Inventory | undefined; clusterId: number }

/** A storage on which no backup could be made is refused here, not in the night of the first one. */
export async function checkBackupStorage(db: Db, storage: string, given: Given): Promise<void> {
  const { seen, inventory, clusterId } = given
  const found = seen.find((one) => one.storage === storage)
  if (!found) {
    const isKnown = inventory?.storages.some(({ name }) => name === storage) ?? false
    throw invalid(
      isKnown
        ? `The storage ${storage} takes no backups. Allow VZDump backup files on it in Proxmox, or choose another one.`
        : `The cluster has no storage ${storage} for backups.`,
    )
  }
  const needed = await nodesWithServers(db, clusterId)
  const without = found.missingOn.filter((node) => needed.has(node))
  if (without.length === 0) return
  throw invalid(
    `The storage ${storage} is not on ${without.join(', ')}, where servers are: they could not be backed up.`,
  )
}

/** Where servers are, or are for sale. */
async function nodesWithServers(db: Db, clusterId: number): Promise<Set<string>> {
  const isHere = eq(nodes.clusterId, clusterId)
  const made = await db
    .selectDistinct({ name: nodes.name })
    .from(nodes)
    .innerJoin(instances, eq(instances.nodeId, nodes.id))
    .where(and(isHere, isNotNull(instances.marker)))
  const offered = await db
    .selectDistinct({ name: nodes.name })
    .from(nodes)
    .innerJoin(tokens, eq(tokens.nodeId, nodes.id))
    .where(and(isHere, inArray(tokens.status, ['available', 'pending', 'assigned'])))
  return new Set([...made, ...offered].map(({ name }) => name))
}
