import { eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { InstanceCreate, VmConfigUpdate } from '#shared/api/servers/instances.ts'
import { AppError } from '#shared/errors.ts'
import { offRefusal, type PowerAct } from '#shared/rules/instance/instance-power.ts'
import { settleVm } from '../../addresses/settle-addresses.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { instances } from '../../db/schema/stock.ts'
import type {
  MetricsPeriod,
  VmSettings,
  VmSettingsChange,
} from '../../hypervisor/port/hypervisor.ts'
import { forActor } from '../../inventory/views/client-errors.ts'
import { instanceFor, type JoinedInstance } from '../../inventory/views/instance-rows.ts'
import { instanceViews, liveState, toInstance } from '../../inventory/views/live-instances.ts'
import { toMetricsPoint } from '../../inventory/views/metrics-view.ts'
import { suspensionOf } from '../../inventory/views/suspended.ts'
import { isHeld } from '../../inventory/vm/acts-under-way.ts'
import { vmAddress } from '../../inventory/vm/vm-marker.ts'
import { answerOf, settled, UNCONFIRMED } from '../../lib/async/patience.ts'
import type { Sales } from '../../provisioning/sales.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'
import { type EndInstanceDeps, endInstance } from './end-instance.ts'
import { powerInstance } from './power-instance.ts'
import { destroyJob, lockedRow, lockTokensOf, requireUnused } from './remove-instance.ts'
import { revealLogin } from './reveal-login.ts'

type InstancesDeps = Pick<
  Deps,
  | 'db'
  | 'clock'
  | 'events'
  | 'jobs'
  | 'hypervisors'
  | 'instanceList'
  | 'background'
  | 'keyring'
  | 'log'
> &
  EndInstanceDeps & { audit: Audit; sales: Pick<Sales, 'provisionForClient'> }

export function instancesService(deps: InstancesDeps) {
  const { db, clock, events, jobs, hypervisors, background, audit, log } = deps
  const power = powerInstance(deps)
  const show = instanceViews(deps)
  const reveal = revealLogin(deps)
  const { preview, end, suspend, resume } = endInstance(deps)
  const job = destroyJob(deps)
  jobs.define(job)

  const portOf = (row: JoinedInstance) => hypervisors.of(row.clusterId).hypervisor

  /** A missing instance has neither settings nor figures: its id may belong to another VM. */
  const present = async (actor: Actor, id: number) => {
    const row = await instanceFor(db, actor, id)
    if (row.missingSince === null) return row
    throw new AppError('VM_MISSING', 'The cluster no longer has this VM.')
  }

  const recordConfig = (actor: Actor, id: number, changed: string[]) =>
    db.transaction(async (tx) => {
      await events.emit(tx, 'admins', { type: 'changed', nouns: ['instances'] })
      const target = `instance:${id}`
      await audit.record(tx, actor, { action: 'instance.configure', target, details: { changed } })
    })

  return {
    async list(nodeId: number | undefined) {
      const rows = await deps.instanceList()
      const wanted = nodeId === undefined ? rows : rows.filter((row) => row.nodeId === nodeId)
      return show(wanted)
    },

    /** Returns the future instance at once; a job makes its VM (P1). */
    async create(actor: Actor, body: z.output<typeof InstanceCreate>) {
      const { instanceId } = await deps.sales.provisionForClient(actor, body)
      return toInstance(await instanceFor(db, actor, instanceId), deps)
    },

    async status(actor: Actor, id: number) {
      const row = await instanceFor(db, actor, id)
      const { message, publicMessage } = row.powerFailure ?? {}
      const failure = (isAdmin(actor) ? message : publicMessage) ?? null
      return { name: row.name, status: liveState(row, deps).status, failure }
    },

    async power(actor: Actor, id: number, act: PowerAct) {
      const row = await instanceFor(db, actor, id)
      refuseOff(actor, row, act)
      try {
        return await power(actor, row, act).catch(forActor(actor, log))
      } catch (error) {
        // A claim is also refused for what has happened since: then that is the reason.
        const isLocked = error instanceof AppError && error.code === 'LOCKED'
        if (isLocked) refuseOff(actor, await instanceFor(db, actor, id), act)
        throw error
      }
    },

    async config(actor: Actor, id: number) {
      const row = await present(actor, id)
      return toConfig(await answerOf(log, portOf(row).config(vmAddress(row))))
    },

    /** Sends only what differs; the form's digest prevents overwriting another change (I10). */
    async setConfig(actor: Actor, id: number, body: z.output<typeof VmConfigUpdate>) {
      const row = await present(actor, id)
      const { digest: _, ...fields } = body
      const work = portOf(row)
        .setConfig(vmAddress(row), toChange(body))
        .then(async (settings) => {
          await recordConfig(actor, id, Object.keys(fields))
          return toConfig(settings)
        })
      background.run('changing a configuration', () => settled(work))
      return await answerOf(log, work, UNCONFIRMED)
    },

    async metrics(actor: Actor, id: number, period: MetricsPeriod) {
      const row = await present(actor, id)
      const points = async () => await answerOf(log, portOf(row).metrics(vmAddress(row), period))
      return (await points().catch(forActor(actor, log))).map(toMetricsPoint)
    },

    reveal,
    preview,
    end,
    suspend,
    resume,

    /**
     * The admin has typed its name: a job destroys the VM. For a vanished VM only the record is
     * deleted.
     */
    async remove(actor: Actor, id: number) {
      await db.transaction(async (tx) => {
        await lockTokensOf(tx, id)
        const row = await lockedRow(tx, id)
        if (isHeld(row, clock.now())) {
          throw new AppError('LOCKED', 'Another action is still running on this instance.')
        }
        await requireUnused(tx, id, row.ownerId)
        const isToDestroy = row.missingSince === null
        if (isToDestroy) {
          const at = clock.now()
          await tx
            .update(instances)
            .set({ status: 'deleting', lastUpdated: at })
            .where(eq(instances.id, id))
          await jobs.enqueue(tx, job, { instanceId: id, name: row.name })
        } else {
          await tx.delete(instances).where(eq(instances.id, id))
          await settleVm(tx, row, clock.now())
        }
        await events.emit(tx, 'admins', { type: 'changed', nouns: ['instances'] })
        await audit.record(tx, actor, {
          action: isToDestroy ? 'instance.destroy' : 'instance.forget',
          target: `instance:${id}`,
          details: { name: row.name, vmId: row.vmId },
        })
      })
    },
  }
}

/** The status is judged later: the list may lag behind the VM itself. */
function refuseOff(actor: Actor, row: JoinedInstance, act: PowerAct): void {
  const term = row.token?.status ?? null
  const why = offRefusal({ isOwner: !isAdmin(actor), term, suspended: suspensionOf(row) }, act)
  if (why !== undefined) throw new AppError('INVALID_STATE', why)
}

function toChange(body: z.output<typeof VmConfigUpdate>): VmSettingsChange {
  const { onboot, protection, agent, numa, ...rest } = body
  const flag = (value: 0 | 1 | undefined) => (value === undefined ? undefined : value === 1)
  return {
    ...rest,
    onboot: flag(onboot),
    protection: flag(protection),
    agent: flag(agent),
    numa: flag(numa),
  }
}

const toConfig = ({ description: _, uuid: __, digest, ...settings }: VmSettings) => ({
  ...settings,
  ...(digest === undefined ? {} : { digest }),
})
