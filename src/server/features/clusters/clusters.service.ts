import { and, asc, eq, isNull, ne } from 'drizzle-orm'
import type { z } from 'zod'
import type { ClusterCreate, ClusterUpdate } from '#shared/api/servers/clusters.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { poolsOf } from '../../addresses/pool-rows.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { beforeEffect } from '../../db/effect-scope.ts'
import { pools } from '../../db/schema/addresses.ts'
import { clusters, templates } from '../../db/schema/infrastructure.ts'
import {
  type ClusterRow,
  connectionColumns,
  connectionOf,
  settingsOf,
} from '../../inventory/clusters/cluster-store.ts'
import { answerOf } from '../../lib/async/patience.ts'
import { randomId } from '../../lib/random.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { checkBackupStorage } from './check-backup-storage.ts'
import { checkSettings } from './check-settings.ts'
import { overallState, toCluster } from './cluster-view.ts'
import { diagnose } from './first-settings.ts'
import { probeCluster, requireRights, type Wanted } from './probe-cluster.ts'
import { removeCluster } from './remove-cluster.ts'
import { reusedIds } from './reused-ids.ts'

type Create = z.output<typeof ClusterCreate>
type Update = z.output<typeof ClusterUpdate>
type ClustersDeps = Pick<
  Deps,
  'config' | 'db' | 'random' | 'keyring' | 'events' | 'hypervisors' | 'links' | 'sync' | 'log'
> & { audit: Audit }

export function clustersService(deps: ClustersDeps) {
  const { db, random, keyring, events, hypervisors, links, sync, audit, log } = deps

  /** Records the change and notifies the pages and the other processes, which then reconnect. */
  const write = async (actor: Actor, action: string, work: (tx: Db) => Promise<ClusterRow>) => {
    try {
      return await db.transaction(async (tx) => {
        const row = await work(tx)
        await events.emit(tx, 'admins', { type: 'changed', nouns: ['clusters'] })
        const { name, host, port } = row
        await audit.record(tx, actor, {
          action,
          target: `cluster:${row.id}`,
          details: { name, host, port },
        })
        return row
      })
    } catch (error) {
      throw asConflict(error)
    } finally {
      await links.refresh()
    }
  }

  const byId = async (id: number): Promise<ClusterRow> => {
    const [row] = await db.select().from(clusters).where(eq(clusters.id, id))
    if (!row) throw notFound('Cluster')
    return row
  }

  /**
   * The first poll of a cluster. The cluster is already stored: if it does not answer, its row
   * shows it.
   */
  const read = async (clusterId: number): Promise<void> => {
    try {
      await sync.now(clusterId)
    } catch (error) {
      log.warn({ err: error, clusterId }, 'a new cluster could not be read at once')
    }
  }

  return {
    async list() {
      const rows = await db.select().from(clusters).orderBy(asc(clusters.id))
      return rows.map((row) => toCluster(row, deps))
    },

    async state() {
      const rows = await db.select({ id: clusters.id }).from(clusters)
      const ids = rows.map(({ id }) => id)
      return { state: overallState(ids, deps) }
    },

    /**
     * Connects first: a cluster that refuses us, or grants too few permissions, is not stored (I7).
     */
    async create(actor: Actor, body: Create) {
      const probed = await beforeEffect(async () => {
        const found = await probeCluster(deps, wantedBy(body))
        requireRights(found.diagnosis)
        return found
      })
      const uid = randomId(random, 9)
      const row = await write(actor, 'cluster.create', async (tx) => {
        const others = await tx.select({ id: clusters.id }).from(clusters).limit(1)
        const isDefault = body.isDefault || others.length === 0
        if (isDefault) await tx.update(clusters).set({ isDefault: false })
        if (!probed) throw new Error('a cluster is stored without being looked at')
        const { connection, settings, pools: proposed } = probed
        const columns = connectionColumns(connection, uid, keyring)
        const values = { ...columns, uid, name: body.name, isDefault, settings }
        const made = await one(tx.insert(clusters).values(values).returning())
        for (const pool of proposed) await tx.insert(pools).values({ ...pool, clusterId: made.id })
        return made
      })
      await read(row.id)
      return toCluster(await byId(row.id), deps)
    },

    async test(body: Create) {
      const { fingerprint, diagnosis } = await probeCluster(deps, wantedBy(body))
      return { fingerprint, diagnosis }
    },

    async update(actor: Actor, id: number, body: Update) {
      const row = await byId(id)
      const { name, isDefault, settings } = body
      if (settings) {
        const known = hypervisors.all().get(id)?.inventory.view().inventory
        checkSettings(settings, known)
        const { backupStorage } = settings
        // One that was chosen before is not asked about again: its cluster may be away.
        if (backupStorage && backupStorage !== settingsOf(row).backupStorage) {
          const seen = await answerOf(log, hypervisors.of(id).hypervisor.backupStorages())
          await checkBackupStorage(db, backupStorage, { seen, inventory: known, clusterId: id })
        }
      }
      const columns = touchesConnection(body) ? await reconnected(row, body) : {}
      const changed = await write(actor, 'cluster.update', async (tx) => {
        if (isDefault)
          await tx.update(clusters).set({ isDefault: false }).where(ne(clusters.id, id))
        const set = {
          ...columns,
          ...(name === undefined ? {} : { name }),
          ...(isDefault === undefined ? {} : { isDefault }),
          settings: settings ?? settingsOf(row),
        }
        return await one(tx.update(clusters).set(set).where(eq(clusters.id, id)).returning())
      })
      if (touchesConnection(body)) await read(id)
      return toCluster(await byId(changed.id), deps)
    },

    async diagnosis(id: number) {
      const row = await byId(id)
      const made = await db
        .select({ storages: templates.storages })
        .from(templates)
        .where(and(eq(templates.clusterId, id), isNull(templates.missingSince)))
      const templateStorages = made.flatMap((template) => template.storages ?? [])
      const bridges = (await poolsOf(db, [id])).map(({ bridge }) => bridge)
      const { hypervisor } = hypervisors.of(id)
      const scope = { templateStorages, bridges }
      const diagnosis = await answerOf(log, diagnose(hypervisor, settingsOf(row), scope))
      const known = hypervisors.all().get(id)?.inventory.view().inventory
      return { ...diagnosis, reused: await reusedIds(db, id, known) }
    },

    async backupStorages(id: number) {
      await byId(id)
      return await answerOf(log, hypervisors.of(id).hypervisor.backupStorages())
    },

    async remove(actor: Actor, id: number) {
      await write(actor, 'cluster.delete', (tx) => removeCluster(tx, id))
    },
  }

  /** The columns of a connection that was tested successfully. */
  async function reconnected(row: ClusterRow, body: Update) {
    const stored = connectionOf(row, keyring)
    const host = body.host ?? row.host
    const port = body.port ?? row.port
    const username = body.username ?? row.username
    const isElsewhere = host !== row.host || port !== row.port
    if ((isElsewhere || username !== row.username) && body.password === undefined) {
      const message = 'Enter the password again: the stored one goes only where it was entered for.'
      throw new AppError('INVALID_INPUT', message, { details: [{ path: 'password', message }] })
    }
    const confirmed = body.tlsFingerprint ?? (isElsewhere ? undefined : row.tlsFingerprint)
    const { connection, diagnosis } = await probeCluster(deps, {
      host,
      port,
      username,
      secret: body.password ?? stored.secret,
      confirmed: confirmed ?? undefined,
    })
    requireRights(diagnosis)
    return connectionColumns(connection, row.uid, keyring)
  }
}

const wantedBy = ({ host, port, username, password, tlsFingerprint }: Create): Wanted => ({
  host,
  port,
  username,
  secret: password,
  confirmed: tlsFingerprint,
})

const touchesConnection = ({ host, port, username, password, tlsFingerprint }: Update): boolean =>
  [host, port, username, password, tlsFingerprint].some((value) => value !== undefined)

async function one(rows: Promise<ClusterRow[]>): Promise<ClusterRow> {
  const [row] = await rows
  if (!row) throw notFound('Cluster')
  return row
}

function asConflict(error: unknown): unknown {
  if (brokenConstraint(error) !== 'clusters_address') return error
  return new AppError('CONFLICT', 'This cluster is already connected.', { cause: error })
}
