import { asc } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import type { SyncTotals } from '../../inventory/sync/inventory-sync.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type SyncServiceDeps = Pick<Deps, 'db' | 'sync'> & { audit: Audit }
type Told = { name: string } & ({ totals: SyncTotals } | { failure: AppError })

export function syncService({ db, sync, audit }: SyncServiceDeps) {
  /** All clusters concurrently: one that is down delays only itself. */
  const everywhere = async (actor: Actor): Promise<Told[]> => {
    const rows = await db
      .select({ id: clusters.id, name: clusters.name })
      .from(clusters)
      .orderBy(asc(clusters.id))
    const told = await Promise.all(
      rows.map(async ({ id, name }): Promise<Told> => {
        try {
          return { name, totals: await sync.now(id) }
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          return { name, failure: error }
        }
      }),
    )
    const details = { clusters: rows.length, failed: told.filter(isFailed).length }
    await db.transaction((tx) => audit.record(tx, actor, { action: 'sync', details }))
    return told
  }

  const messageOf = async (actor: Actor, say: (sum: SyncTotals) => string) => {
    const told = await everywhere(actor)
    if (told.length === 0) return { message: 'No cluster is connected.' }
    const failures = told.filter(isFailed)
    const reasons = failures.map(({ name, failure }) => `${name}: ${failure.message}`).join(' ')
    if (failures.length === told.length) {
      throw new AppError(failures[0]?.failure.code ?? 'CLUSTER_UNAVAILABLE', reasons)
    }
    const sum = told.reduce<SyncTotals>(
      (all, one) => ('totals' in one ? add(all, one.totals) : all),
      {
        nodes: 0,
        templates: 0,
        instances: 0,
      },
    )
    return { message: [say(sum), reasons].filter(Boolean).join(' ') }
  }

  return {
    proxmox: (actor: Actor) =>
      messageOf(
        actor,
        ({ nodes, templates, instances }) =>
          `Synced ${count(nodes, 'node')}, ${count(templates, 'template')} and ${count(instances, 'instance')}.`,
      ),
    instances: (actor: Actor) =>
      messageOf(actor, ({ instances }) => `Synced ${count(instances, 'instance')}.`),
  }
}

const isFailed = (told: Told): told is Extract<Told, { failure: AppError }> => 'failure' in told

const add = (a: SyncTotals, b: SyncTotals): SyncTotals => ({
  nodes: a.nodes + b.nodes,
  templates: a.templates + b.templates,
  instances: a.instances + b.instances,
})

const count = (of: number, noun: string) => `${of} ${noun}${of === 1 ? '' : 's'}`
