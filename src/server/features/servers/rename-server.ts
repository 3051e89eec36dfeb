import { eq } from 'drizzle-orm'
import { z } from 'zod'
import type { ServerChange } from '#shared/api/overview/servers.ts'
import { AppError } from '#shared/errors.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { instances } from '../../db/schema/stock.ts'
import { instanceFor } from '../../inventory/views/instance-rows.ts'
import { instanceById, vmOf } from '../../inventory/vm/instance-row.ts'
import { vmName } from '../../inventory/vm/vm-name.ts'
import { defineJob } from '../../jobs/job-definition.ts'
import { hostnameTaken, refuseTakenHostname } from '../../orders/server-setup.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { serverRow } from './server-row.ts'
import { serverView, type ViewDeps } from './server-view.ts'

type RenameDeps = ViewDeps & Pick<Deps, 'db' | 'events' | 'jobs'> & { audit: Audit }
type Change = z.output<typeof ServerChange>

/** Changes what a server is called. The cluster follows by a job, however long it is away. */
export function renameServer(deps: RenameDeps) {
  const { db, events, jobs, audit } = deps
  const job = hostnameJob(deps)
  jobs.define(job)

  const store = (actor: Actor, id: number, change: Change) =>
    db.transaction(async (tx) => {
      await tx.select().from(instances).where(eq(instances.id, id)).for('update')
      const before = await serverRow(tx, actor, id)
      const { hostname } = serverView(before, actor, deps).can
      const isRenamed = change.hostname !== undefined && change.hostname !== before.hostname
      if (isRenamed && hostname.why !== null) throw new AppError('INVALID_STATE', hostname.why)
      if (isRenamed && change.hostname && before.ownerId !== null) {
        await refuseTakenHostname(tx, before.ownerId, change.hostname, { instanceId: id })
      }
      await tx.update(instances).set(valuesOf(change)).where(eq(instances.id, id))
      if (isRenamed) {
        const owner = before.ownerId === null ? {} : { ownerId: before.ownerId }
        // The title of a job is kept: the name it was sold by, not the one its client gave it.
        const input = { instanceId: id, name: before.name }
        await jobs.enqueue(tx, job, input, owner)
      }
      await publishTokenChange(tx, events, before.ownerId)
      await record(tx, actor, id, change)
    })

  /** Which names changed, not to what: the log outlives the account. */
  const record = async (tx: Db, actor: Actor, id: number, { notes, ...names }: Change) => {
    const target = `instance:${id}`
    const changed = Object.keys(valuesOf(names))
    if (changed.length > 0) {
      await audit.record(tx, actor, { action: 'instance.rename', target, details: { changed } })
    }
    if (notes !== undefined) await audit.record(tx, actor, { action: 'instance.note', target })
  }

  return async (actor: Actor, id: number, change: Change): Promise<void> => {
    await instanceFor(db, actor, id)
    if (change.notes !== undefined && !isAdmin(actor)) {
      throw new AppError('FORBIDDEN', 'Only an operator can write notes.')
    }
    if (Object.keys(valuesOf(change)).length === 0) return
    try {
      await store(actor, id, change)
    } catch (error) {
      if (brokenConstraint(error) !== 'instances_hostname') throw error
      throw hostnameTaken(change.hostname ?? '', error)
    }
  }
}

const valuesOf = ({ label, hostname, notes }: Change) => ({
  ...(label !== undefined && { label }),
  ...(hostname !== undefined && { hostname }),
  ...(notes !== undefined && { notes: notes || null }),
})

/**
 * Names the VM after the hostname in our row. The guest takes it over when it starts next, because
 * cloud-init then finds a new identity.
 */
const hostnameJob = ({ db, hypervisors }: Pick<Deps, 'db' | 'hypervisors'>) =>
  defineJob({
    kind: 'hostname',
    input: z.object({ instanceId: z.number().int(), name: z.string() }),
    title: ({ name }) => `Rename ${name}`,
    subject: ({ instanceId }) => `instance:${instanceId}`,
    steps: [
      {
        name: 'rename',
        async run({ input }) {
          const instance = await instanceById(db, input.instanceId)
          if (!instance?.marker || instance.missingSince !== null) return
          const { hypervisor } = hypervisors.of(instance.clusterId)
          const { marker } = instance
          await hypervisor.prepare(await vmOf(db, instance), { name: vmName(instance), marker })
        },
      },
    ],
  })
