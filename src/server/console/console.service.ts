import { and, eq } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import type { Audit } from '../audit/audit-log.ts'
import { nodes } from '../db/schema/infrastructure.ts'
import { instances } from '../db/schema/stock.ts'
import type { Deps } from '../deps.ts'
import type { Actor } from '../sessions/actor.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createConsoleTickets } from './console-tickets.ts'

export type ConsoleDeps = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'hypervisors' | 'events' | 'log' | 'config'
> & { sessions: Pick<Sessions, 'resolve'>; audit: Audit }

export type ConsoleService = ReturnType<typeof consoleService>

/** Who may see which screen. The relay asks here again and again while one is open. */
export function consoleService(deps: ConsoleDeps) {
  const { db, hypervisors, audit } = deps
  const tickets = createConsoleTickets(deps)

  /** The instance, if it is the actor's to see. Somebody else's is not found, like one that is not. */
  const visible = async (actor: Actor, instanceId: number) => {
    const isAdmin = actor.user.role === 'admin' && actor.admin === undefined
    const [row] = await db
      .select({ instance: instances, node: nodes.name })
      .from(instances)
      .leftJoin(nodes, eq(nodes.id, instances.nodeId))
      .where(
        and(
          eq(instances.id, instanceId),
          isAdmin ? undefined : eq(instances.ownerId, actor.user.id),
        ),
      )
    if (!row) throw notFound('Instance')
    return { ...row.instance, node: row.node }
  }

  const open = async (actor: Actor, instanceId: number) => {
    const { clusterId, vmId, node, marker } = await visible(actor, instanceId)
    const { hypervisor } = hypervisors.of(clusterId)
    return await hypervisor.openConsole({
      vmId,
      node: node ?? undefined,
      marker: marker ?? undefined,
    })
  }

  return {
    /** A ticket for the screen; the cluster is asked only when the browser comes with it (C2). */
    async ticket(actor: Actor, instanceId: number) {
      const instance = await visible(actor, instanceId)
      const live = hypervisors.of(instance.clusterId).inventory.vm(instance.vmId)
      if (live?.state === 'stopped') {
        throw new AppError('INVALID_STATE', 'The server is off. Start it, then open the console.')
      }
      const ticket = await tickets.issue(actor, instanceId)
      await db.transaction((tx) =>
        audit.record(tx, actor, { action: 'instance.console', target: `instance:${instanceId}` }),
      )
      return { vmid: instance.vmId, node: live?.node ?? instance.node ?? '', ticket }
    },

    /** Takes the ticket and opens the screen it is for. Both at most once. */
    async redeem(actor: Actor, ticket: string) {
      const instanceId = await tickets.redeem(actor, ticket)
      if (instanceId === undefined) {
        throw new AppError('FORBIDDEN', 'This console link is used up or too old. Open a new one.')
      }
      return { instanceId, screen: await open(actor, instanceId) }
    },

    async mayStillSee(actor: Actor, instanceId: number): Promise<boolean> {
      try {
        await visible(actor, instanceId)
        return true
      } catch (error) {
        if (error instanceof AppError && error.code === 'NOT_FOUND') return false
        throw error
      }
    },
  }
}
