import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import {
  NOT_OFFERED,
  nodesTakingUserData,
  takesUserData,
} from '../../inventory/clusters/seed-stores.ts'

/**
 * Why a server on this node takes no user data; undefined if it does. Without a node: on any, as for
 * a package that can be delivered on one of several.
 */
export async function offerRefusal(
  db: Db,
  nodeId: number | null | undefined,
  hypervisors: Hypervisors,
): Promise<string | undefined> {
  if (nodeId === undefined) {
    return (await nodesTakingUserData(db, hypervisors)).size > 0 ? undefined : NOT_OFFERED
  }
  const [node] = await db
    .select()
    .from(nodes)
    .where(eq(nodes.id, nodeId ?? 0))
  return node && takesUserData(node, hypervisors) ? undefined : NOT_OFFERED
}

export async function requireUserData(...asked: Parameters<typeof offerRefusal>): Promise<void> {
  const refusal = await offerRefusal(...asked)
  if (refusal !== undefined) throw new AppError('INVALID_INPUT', refusal)
}
