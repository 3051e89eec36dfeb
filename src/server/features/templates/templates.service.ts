import { eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { TemplateConfigUpdate } from '#shared/api/servers/templates.ts'
import { notFound } from '#shared/errors.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { brokenConstraint } from '../../db/database.ts'
import { clusters, nodes, templates } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import type { VmSettings } from '../../hypervisor/port/hypervisor.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import { templateRows } from '../../inventory/views/template-rows.ts'
import { likelyFreeVmId } from '../../inventory/vm/vm-ids.ts'
import { vmMarker } from '../../inventory/vm/vm-marker.ts'
import { answerOf, settled, UNCONFIRMED } from '../../lib/async/patience.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { cloneJob } from './clone-template.ts'

type TemplatesDeps = Pick<
  Deps,
  'db' | 'clock' | 'events' | 'jobs' | 'hypervisors' | 'background' | 'log'
> & {
  audit: Audit
  clone: ReturnType<typeof cloneJob>
}

const TRIES = 5

export function templatesService(deps: TemplatesDeps) {
  const { db, clock, events, jobs, hypervisors, background, audit, clone, log } = deps

  const byId = async (id: number) => {
    const [row] = await db
      .select({ template: templates, node: nodes.name, cluster: clusters })
      .from(templates)
      .innerJoin(nodes, eq(nodes.id, templates.nodeId))
      .innerJoin(clusters, eq(clusters.id, templates.clusterId))
      .where(eq(templates.id, id))
    if (!row || row.template.missingSince !== null) throw notFound('Template')
    return row
  }

  const vmOf = async (id: number) => {
    const { template, node } = await byId(id)
    const { hypervisor } = hypervisors.of(template.clusterId)
    return { hypervisor, template, vm: { vmId: template.templateId, node } }
  }

  /** Creates the row of the future VM and the job that makes it: both or none. */
  const order = async (actor: Actor, id: number, name: string): Promise<string> => {
    const { template, cluster } = await byId(id)
    const range = settingsOf(cluster).vmIdRange
    const inventory = hypervisors.all().get(cluster.id)?.inventory
    const vmId = await likelyFreeVmId(db, { id: cluster.id, range }, inventory)
    return await db.transaction(async (tx) => {
      const [row] = await tx
        .insert(instances)
        .values({
          clusterId: cluster.id,
          vmId,
          name,
          nodeId: template.nodeId,
          templateId: template.id,
          status: 'creating',
          lastUpdated: clock.now(),
        })
        .returning({ id: instances.id })
      if (!row) throw new Error('the instance was not stored')
      const marker = vmMarker(cluster.uid, row.id)
      await tx.update(instances).set({ marker }).where(eq(instances.id, row.id))
      const jobId = await jobs.enqueue(tx, clone, { instanceId: row.id, name })
      await events.emit(tx, 'admins', { type: 'changed', nouns: ['instances'] })
      await audit.record(tx, actor, {
        action: 'template.clone',
        target: `template:${id}`,
        details: { instanceId: row.id, vmId, name },
      })
      return jobId
    })
  }

  const recordConfig = (actor: Actor, id: number, settings: VmSettings, changed: string[]) =>
    db.transaction(async (tx) => {
      const { description, ostype } = settings
      await tx.update(templates).set({ description, osType: ostype }).where(eq(templates.id, id))
      await events.emit(tx, 'admins', { type: 'changed', nouns: ['templates'] })
      await audit.record(tx, actor, {
        action: 'template.configure',
        target: `template:${id}`,
        details: { changed },
      })
    })

  return {
    list: () => templateRows(db),

    async config(id: number) {
      const { hypervisor, vm } = await vmOf(id)
      return toConfig(await answerOf(log, hypervisor.config(vm)))
    },

    /**
     * Sends only what differs, with the digest of what was read, so that no other change is
     * overwritten (I10).
     */
    async setConfig(actor: Actor, id: number, body: z.output<typeof TemplateConfigUpdate>) {
      const { hypervisor, vm } = await vmOf(id)
      const { onboot, ...rest } = body
      const change = { ...rest, ...(onboot === undefined ? {} : { onboot: onboot === 1 }) }
      const work = hypervisor.setConfig(vm, change).then(async (settings) => {
        await recordConfig(actor, id, settings, Object.keys(body))
        return toConfig(settings)
      })
      background.run('configuring a template', () => settled(work))
      return await answerOf(log, work, UNCONFIRMED)
    },

    async clone(actor: Actor, id: number, name: string) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return { jobId: await order(actor, id, name) }
        } catch (error) {
          // The id was taken concurrently: the next one is tried.
          if (brokenConstraint(error) !== 'instances_vm' || attempt === TRIES) throw error
        }
      }
    },
  }
}

const toConfig = ({ memory, cores, description, onboot }: VmSettings) => ({
  memory,
  cores,
  description,
  onboot,
})
