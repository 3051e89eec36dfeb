import { and, asc, eq, exists } from 'drizzle-orm'
import type { z } from 'zod'
import type { IsoCreate, IsoUpdate } from '#shared/api/servers/isos.ts'
import { AppError, notFound } from '#shared/errors.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { clusters, isos } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { answerOf } from '../../lib/async/patience.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'

type IsoRow = typeof isos.$inferSelect

/** The list of ISO images that the house offers. */
export function isosService({
  db,
  hypervisors,
  audit,
  log,
}: Pick<Deps, 'db' | 'hypervisors' | 'log'> & { audit: Audit }) {
  /** A cluster has one rescue system: the former one makes way. */
  const makeWay = (tx: Db, clusterId: number) =>
    tx
      .update(isos)
      .set({ isRescue: false })
      .where(and(eq(isos.clusterId, clusterId), eq(isos.isRescue, true)))

  const filesOf = async (clusterId: number) => {
    const isIt = eq(clusters.id, clusterId)
    const [cluster] = await db.select({ id: clusters.id }).from(clusters).where(isIt)
    if (!cluster) throw notFound('Cluster')
    return await answerOf(log, hypervisors.of(clusterId).hypervisor.isos())
  }

  return {
    async list(actor: Actor) {
      const isOwn = and(
        eq(instances.clusterId, isos.clusterId),
        eq(instances.ownerId, actor.user.id),
      )
      const rows = await db
        .select()
        .from(isos)
        .where(isAdmin(actor) ? undefined : exists(db.select().from(instances).where(isOwn)))
        .orderBy(asc(isos.name))
      return rows.map((row) => (isAdmin(actor) ? row : { ...row, volume: null }))
    },

    async volumes(clusterId: number) {
      const offered = await db.select().from(isos).where(eq(isos.clusterId, clusterId))
      const files = await filesOf(clusterId)
      const isoOf = (volume: string) => offered.find((row) => row.volume === volume) ?? null
      const there = new Set(files.map(({ volume }) => volume))
      // Offered although its file is gone: the operator takes it off the list.
      const gone = offered
        .filter(({ volume }) => !there.has(volume))
        .map((iso) => ({ volume: iso.volume, size: null, nodes: [], iso }))
      return [...files.map((file) => ({ ...file, iso: isoOf(file.volume) })), ...gone]
    },

    async create(actor: Actor, body: z.output<typeof IsoCreate>): Promise<IsoRow> {
      const files = await filesOf(body.clusterId)
      if (!files.some(({ volume }) => volume === body.volume)) {
        throw new AppError(
          'INVALID_INPUT',
          'The cluster has no such image. Choose one of its list.',
        )
      }
      try {
        return await db.transaction(async (tx) => {
          if (body.isRescue) await makeWay(tx, body.clusterId)
          const [row] = await tx.insert(isos).values(body).returning()
          if (!row) throw new Error('the image was not stored')
          const details = { name: row.name, volume: row.volume }
          await audit.record(tx, actor, { action: 'iso.offer', target: `iso:${row.id}`, details })
          return row
        })
      } catch (error) {
        if (brokenConstraint(error) !== 'isos_volume') throw error
        throw new AppError('CONFLICT', 'This image is already on offer.')
      }
    },

    update: (actor: Actor, id: number, change: z.output<typeof IsoUpdate>): Promise<IsoRow> =>
      db.transaction(async (tx) => {
        const [found] = await tx.select().from(isos).where(eq(isos.id, id)).for('update')
        if (!found) throw notFound('ISO image')
        if (Object.keys(change).length === 0) return found
        if (change.isRescue) await makeWay(tx, found.clusterId)
        const values = Object.fromEntries(
          Object.entries(change).filter(([, value]) => value !== undefined),
        )
        const [row] = await tx.update(isos).set(values).where(eq(isos.id, id)).returning()
        const details = { changed: Object.keys(values) }
        await audit.record(tx, actor, { action: 'iso.change', target: `iso:${id}`, details })
        return row ?? found
      }),

    remove: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        const [row] = await tx.delete(isos).where(eq(isos.id, id)).returning()
        if (!row) throw notFound('ISO image')
        const details = { name: row.name, volume: row.volume }
        await audit.record(tx, actor, { action: 'iso.withdraw', target: `iso:${id}`, details })
      }),
  }
}
