import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { AppError, notFound } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { clusters, nodes, templates } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import { rememberVmId, takenVmIds } from '../../inventory/vm/vm-ids.ts'
import { vmMarker } from '../../inventory/vm/vm-marker.ts'
import { defineJob, type Step } from '../../jobs/job-definition.ts'
import { inTurn } from '../../lib/async/in-turn.ts'
import type { Deps } from '../../runtime/deps.ts'

type CloneDeps = Pick<Deps, 'db' | 'events' | 'clock' | 'hypervisors' | 'log'>

const Input = z.object({ instanceId: z.number().int(), name: z.string() })
type Cloned = { vmId: number; node: string; uuid: string | undefined }

/** Another program may take the id between our check and our clone: then the next one is tried. */
const TRIES = 5

/**
 * Makes a VM from a template. Its instance row is written first, so that the row's id can be in the
 * VM's marker: whatever happens in between, the VM itself shows whose it is.
 */
export function cloneJob({ db, events, clock, hypervisors, log }: CloneDeps) {
  const turns = inTurn()

  const place = async (instanceId: number) => {
    const [row] = await db
      .select({ instance: instances, cluster: clusters, template: templates, node: nodes.name })
      .from(instances)
      .innerJoin(clusters, eq(clusters.id, instances.clusterId))
      .innerJoin(templates, eq(templates.id, instances.templateId))
      .innerJoin(nodes, eq(nodes.id, templates.nodeId))
      .where(eq(instances.id, instanceId))
    if (!row) throw notFound('Instance')
    const { hypervisor } = hypervisors.of(row.cluster.id)
    return { ...row, hypervisor, marker: vmMarker(row.cluster.uid, instanceId) }
  }

  /** Assigns another id to a VM that does not exist yet. */
  const renumber = async (instanceId: number, isTaken: number): Promise<void> => {
    const { cluster, hypervisor } = await place(instanceId)
    const taken = await takenVmIds(db, cluster.id)
    const range = settingsOf(cluster).vmIdRange
    for (const { vmId: archived } of await hypervisor.archivesOnCluster()) taken.add(archived)
    const vmId = await hypervisor.freeVmId(range, taken.add(isTaken))
    await db.update(instances).set({ vmId }).where(eq(instances.id, instanceId))
  }

  const clone = async (instanceId: number, onProgress: (fraction: number) => void) => {
    for (let attempt = 1; ; attempt += 1) {
      const { instance, cluster, template, node, hypervisor, marker } = await place(instanceId)
      const { cloneMode, storage, pool } = settingsOf(cluster)
      const order = {
        template: { vmId: template.templateId, node },
        vmId: instance.vmId,
        marker,
        name: instance.name,
        isFull: cloneMode === 'full',
        storage: storage ?? undefined,
        pool: pool ?? undefined,
      }
      await rememberVmId(db, { clusterId: cluster.id, vmId: order.vmId, now: clock.now() })
      try {
        // PVE locks a storage while it clones on it (P7).
        return await turns(`${cluster.id}/${storage ?? template.templateId}`, () =>
          hypervisor.clone(order, { onProgress }),
        )
      } catch (error) {
        const isTaken = error instanceof AppError && error.code === 'CONFLICT'
        if (!isTaken || attempt === TRIES) throw error
        await renumber(instanceId, instance.vmId)
      }
    }
  }

  const cloneStep: Step<z.output<typeof Input>, Cloned> = {
    name: 'clone',
    run: ({ input, progress }) =>
      clone(input.instanceId, (part) => {
        progress(part).catch((error: unknown) =>
          log.warn({ err: error }, 'the progress of a clone was not written'),
        )
      }),
    async undo({ input }) {
      const [row] = await db.select().from(instances).where(eq(instances.id, input.instanceId))
      if (!row) return
      const { hypervisor, marker, instance } = await place(input.instanceId)
      // Destroys only a VM with our marker; another owner's VM with this id is left alone.
      await hypervisor.destroy({ vmId: instance.vmId, marker }).catch(unlessForeign)
      await db.transaction(async (tx) => {
        await tx.delete(instances).where(eq(instances.id, input.instanceId))
        await events.emit(tx, 'admins', { type: 'changed', nouns: ['instances'] })
      })
    },
  }

  return defineJob({
    kind: 'clone-template',
    input: Input,
    title: ({ name }) => `Clone ${name}`,
    steps: [
      cloneStep,
      {
        name: 'adopt',
        async run({ input, output }) {
          const made = output(cloneStep)
          const { cluster, hypervisor, marker } = await place(input.instanceId)
          if (!made) throw new Error('the clone left no result')
          const { vmId, node, uuid = null } = made
          const live = await hypervisor.vm({ vmId, node, marker })
          await db.transaction(async (tx) => {
            const nodeId = await nodeIdOf(tx, cluster.id, live.node)
            await tx
              .update(instances)
              .set({ vmId, uuid, nodeId, status: live.state, lastUpdated: clock.now() })
              .where(and(eq(instances.id, input.instanceId), eq(instances.status, 'creating')))
            await events.emit(tx, 'admins', { type: 'changed', nouns: ['instances'] })
          })
        },
      },
    ],
  })
}

function unlessForeign(error: unknown): void {
  if (error instanceof AppError && error.code === 'VM_MISSING') return
  throw error
}

async function nodeIdOf(tx: Db, clusterId: number, name: string): Promise<number | null> {
  const [row] = await tx
    .select({ id: nodes.id })
    .from(nodes)
    .where(and(eq(nodes.clusterId, clusterId), eq(nodes.name, name)))
  return row?.id ?? null
}
