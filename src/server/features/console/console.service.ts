import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { ConsoleEnding } from '#shared/rules/instance/console-endings.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import { forActor } from '../../inventory/views/client-errors.ts'
import { instanceFor, type JoinedInstance } from '../../inventory/views/instance-rows.ts'
import { isBarred, suspendedError } from '../../inventory/views/suspended.ts'
import { vmAddress } from '../../inventory/vm/vm-marker.ts'
import { answerOf } from '../../lib/async/patience.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { createConsoleTickets } from './console-tickets.ts'

export type ConsoleDeps = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'hypervisors' | 'events' | 'log' | 'config'
> & { sessions: Pick<Sessions, 'resolve'>; audit: Audit }

export type ConsoleService = ReturnType<typeof consoleService>

/** Decides who may see which screen. The relay asks again and again while one is open. */
export function consoleService(deps: ConsoleDeps) {
  const { db, hypervisors, audit, log } = deps
  const tickets = createConsoleTickets(deps)

  const isDirect = async ({ clusterId }: JoinedInstance): Promise<boolean> => {
    const [row] = await db
      .select({ settings: clusters.settings })
      .from(clusters)
      .where(eq(clusters.id, clusterId))
    return row !== undefined && settingsOf(row).directConsole
  }

  return {
    /** A ticket for the screen; the cluster is asked only when the browser redeems it (C2). */
    async ticket(actor: Actor, instanceId: number) {
      const instance = await instanceFor(db, actor, instanceId)
      if (isBarred(actor, instance)) throw suspendedError(instance)
      if (instance.missingSince !== null) {
        throw new AppError('VM_MISSING', 'The cluster no longer has this VM.')
      }
      const { hypervisor, inventory } = hypervisors.of(instance.clusterId)
      const live = inventory.vm(instance.vmId)
      if (live?.state === 'stopped') {
        throw new AppError('INVALID_STATE', 'The server is off. Start it, then open the console.')
      }
      const facts = { vmid: instance.vmId, node: live?.node ?? instance.nodeName ?? '' }
      // The operator chose that this cluster's address and ticket go to the browser.
      const direct = (await isDirect(instance))
        ? await answerOf(log, hypervisor.consoleTicket(vmAddress(instance))).catch(
            forActor(actor, log),
          )
        : undefined
      const ticket = direct?.ticket ?? (await tickets.issue(actor, instanceId))
      await db.transaction((tx) =>
        audit.record(tx, actor, { action: 'instance.console', target: `instance:${instanceId}` }),
      )
      return { ...facts, ticket, direct }
    },

    /** Redeems the ticket and opens its screen, each at most once. */
    async redeem(actor: Actor, ticket: string) {
      const instanceId = await tickets.redeem(actor, ticket)
      if (instanceId === undefined) {
        throw new AppError('FORBIDDEN', 'This console link is used up or too old. Open a new one.')
      }
      const instance = await instanceFor(db, actor, instanceId)
      if (isBarred(actor, instance)) throw suspendedError(instance)
      const { hypervisor } = hypervisors.of(instance.clusterId)
      const opened = hypervisor.openConsole(vmAddress(instance))
      return { instanceId, screen: await opened.catch(forActor(actor, log)) }
    },

    async mayStillSee(actor: Actor, instanceId: number): Promise<boolean> {
      try {
        return !isBarred(actor, await instanceFor(db, actor, instanceId))
      } catch (error) {
        if (error instanceof AppError && error.code === 'NOT_FOUND') return false
        throw error
      }
    },

    /** Asks the cluster why a screen ended: only the cluster knows. */
    async whyEnded(actor: Actor, instanceId: number): Promise<ConsoleEnding> {
      try {
        const instance = await instanceFor(db, actor, instanceId)
        const { hypervisor, inventory } = hypervisors.of(instance.clusterId)
        const live = await answerOf(log, hypervisor.vm(vmAddress(instance)))
        inventory.learn(live)
        if (live.state === 'stopped' || live.state === 'suspended') {
          return { why: 'ended', reason: 'The server is off.' }
        }
        return { why: 'lost', reason: 'The server is running, but its screen was closed.' }
      } catch (error) {
        log.info({ err: error, instanceId }, 'a console ended, and why cannot be told')
        const isGone = error instanceof AppError && error.code === 'VM_MISSING'
        return isGone
          ? { why: 'refused', reason: error.message }
          : { why: 'unavailable', reason: 'The machine your server runs on cannot be reached.' }
      }
    },
  }
}
