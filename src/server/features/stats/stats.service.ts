import { and, count, eq, inArray, isNull } from 'drizzle-orm'
import { isFailedStatus } from '#shared/rules/instance/instance-power.ts'
import { nodes } from '../../db/schema/infrastructure.ts'
import { tokens } from '../../db/schema/stock.ts'
import { instanceRows, visibleTo } from '../../inventory/views/instance-rows.ts'
import { liveState } from '../../inventory/views/live-instances.ts'
import { liveNode } from '../../inventory/views/live-nodes.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'

type StatsDeps = Pick<Deps, 'db' | 'clock' | 'hypervisors' | 'instanceList'>

export function statsService(deps: StatsDeps) {
  const { db, hypervisors } = deps

  /** Tokens on sale for an admin; tokens in use for a client. */
  const countTokens = async (actor: Actor): Promise<number> => {
    const [row] = await db
      .select({ of: count() })
      .from(tokens)
      .where(
        isAdmin(actor)
          ? and(inArray(tokens.status, ['ready', 'available']), isNull(tokens.assignedUserId))
          : and(eq(tokens.status, 'assigned'), eq(tokens.assignedUserId, actor.user.id)),
      )
    return row?.of ?? 0
  }

  return {
    /** An admin counts everything, a client its own. */
    async get(actor: Actor) {
      const mine = visibleTo(actor)
      const rows = mine ? await instanceRows(db, mine) : await deps.instanceList()
      const states = rows.map((row) => liveState(row, deps).status)
      const own = new Set(rows.map(({ nodeId }) => nodeId))
      const online = (await db.select().from(nodes)).filter(
        (node) => liveNode(node, hypervisors).status === 'online',
      )
      const shown = mine ? online.filter(({ id }) => own.has(id)) : online
      return {
        availableTokens: await countTokens(actor),
        runningInstances: states.filter((status) => status === 'running').length,
        activeNodes: shown.length,
        failedInstances: states.filter(isFailedStatus).length,
      }
    },
  }
}
