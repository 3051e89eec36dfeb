import { and, asc, eq, isNotNull, isNull, ne } from 'drizzle-orm'
import type { z } from 'zod'
import type { BackupMake, Protection, Restore } from '#shared/api/servers/backups.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { scheduleRefusal } from '#shared/rules/instance/backup-schedule.ts'
import type { ServerAct } from '#shared/rules/instance/server-acts.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { backups } from '../../db/schema/snapshots.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { ArchiveView } from '../../hypervisor/port/backups.ts'
import { visibleTo } from '../../inventory/views/instance-rows.ts'
import { nameToType, requireTyped } from '../../inventory/views/typed-name.ts'
import { vmAddress } from '../../inventory/vm/vm-marker.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { inTurn } from '../../lib/async/in-turn.ts'
import { answerOf, settled, UNCONFIRMED } from '../../lib/async/patience.ts'
import type { BackupJob } from '../../provisioning/backups/backup-job.ts'
import {
  type BackupRow,
  forgetUnmade,
  handRefusal,
  isWaiting,
  placesOf,
  reserveBackup,
  waitingJobOf,
} from '../../provisioning/backups/backup-rows.ts'
import {
  type BackupInput,
  holdForBackup,
  wishForBackup,
} from '../../provisioning/backups/backup-state.ts'
import type { DeleteBackupJob } from '../../provisioning/backups/delete-backup-job.ts'
import type { RestoreJob } from '../../provisioning/backups/restore-job.ts'
import { snapshotsOf } from '../../provisioning/snapshots/snapshot-rows.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { lockServer, type OwnedServer } from './locked-server.ts'
import { type ServerRow, serverRow } from './server-row.ts'
import type { ViewDeps } from './server-view.ts'

export type BackupDeps = ViewDeps &
  Pick<Deps, 'db' | 'events' | 'jobs' | 'hypervisors' | 'background' | 'random' | 'log'> & {
    audit: Audit
    backup: BackupJob
    restore: RestoreJob
    deleteBackup: DeleteBackupJob
  }

type Ids = { id: number; backupId: number }

type Begun = {
  row: OwnedServer
  backup: BackupRow
  job: JobDefinition<z.ZodType<BackupInput>>
  action: string
  /** The server that the backup is of, if another one gets its disks. */
  source?: OwnedServer
  /** True if the job claims the server itself, once its turn has come. */
  mayWait?: boolean
}

/** The backups of a server, for its owner and for operators. */
export function backupServer(deps: BackupDeps) {
  const { db, clock, events, jobs, audit, hypervisors, background, log } = deps
  const turn = inTurn()

  /** What else its client has on this cluster; whether each can be restored now is asked then. */
  const othersOf = async (actor: Actor, { id, ownerId, clusterId }: ServerRow) => {
    if (ownerId === null) return []
    const rows = await db
      .select({ id: instances.id, label: instances.label, vmId: instances.vmId, name: tokens.name })
      .from(instances)
      .innerJoin(tokens, eq(tokens.assignedInstanceId, instances.id))
      .where(
        and(
          eq(instances.ownerId, ownerId),
          eq(instances.clusterId, clusterId),
          eq(tokens.status, 'assigned'),
          isNotNull(instances.marker),
          isNull(instances.missingSince),
          ne(instances.id, id),
          visibleTo(actor),
        ),
      )
      .orderBy(asc(instances.id))
    return rows.map((row) => ({
      id: row.id,
      label: row.label ?? `${row.name} (${row.vmId})`,
      confirm: nameToType(row),
    }))
  }

  /** Undefined while the cluster does not answer: ours are known without it. */
  const lookIfPossible = async (row: ServerRow, own: BackupRow[]) => {
    if (row.missingSince !== null || row.marker === null || own.length === 0) return undefined
    try {
      const { hypervisor } = hypervisors.of(row.clusterId)
      const found: ArchiveView[] = []
      for (const storage of new Set(own.map((one) => one.storage))) {
        found.push(...(await answerOf(log, hypervisor.archives(vmAddress(row), storage))))
      }
      return found
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.debug({ err: error, vmId: row.vmId }, 'the backups could not be read')
      return undefined
    }
  }

  /** Claims the server unless the job does, begins the job and tells everyone, in the caller's transaction. */
  const begin = async (
    tx: Db,
    actor: Actor,
    { row, backup, job, action, source, mayWait }: Begun,
  ) => {
    const at = clock.now()
    const claim = async ({ id, name, token }: OwnedServer) => {
      const server = { id, name, tokenId: token.id }
      if (mayWait) return wishForBackup(server, backup.id, at)
      return await holdForBackup(tx, server, backup.id, at)
    }
    const input = await claim(row)
    if (source) {
      const { instanceId, tokenId } = await claim(source)
      input.source = { instanceId, tokenId }
    }
    const { ownerId } = row
    const jobId = await jobs.enqueue(tx, job, input, ownerId === null ? {} : { ownerId })
    await publishTokenChange(tx, events, ownerId)
    const details = { backup: backup.name, ...(source && { of: `instance:${source.id}` }) }
    await audit.record(tx, actor, { action, target: `instance:${row.id}`, details })
    return { jobId }
  }

  const lockWith = async (tx: Db, actor: Actor, { id, backupId }: Ids, act: ServerAct) => {
    const row = await lockServer(tx, { actor, id, act }, deps)
    const isIt = and(eq(backups.id, backupId), eq(backups.instanceId, id))
    const [backup] = await tx.select().from(backups).where(isIt)
    if (!backup) throw notFound('Backup')
    return { row, backup }
  }

  const lockReady = async (tx: Db, actor: Actor, ids: Ids, act: ServerAct) => {
    const found = await lockWith(tx, actor, ids, act)
    requireReady(found.backup)
    return found
  }

  /**
   * A server with this backup, and another one of the same client that is to get its disks. By their
   * ids, so that two requests never wait for each other.
   */
  const lockBoth = async (tx: Db, actor: Actor, ids: Ids, into: number) => {
    if (into === ids.id) {
      const message = 'Choose another server, or restore the backup in place.'
      throw new AppError('INVALID_INPUT', message, { details: [{ path: 'into', message }] })
    }
    const lockTarget = () =>
      lockServer(tx, { actor, id: into, act: 'restore' }, deps).catch(ofTarget)
    const first = into < ids.id ? await lockTarget() : undefined
    const { row: source, backup } = await lockReady(tx, actor, ids, 'restore')
    const row = first ?? (await lockTarget())
    if (row.ownerId === null || row.ownerId !== source.ownerId) {
      throw new AppError('INVALID_STATE', 'Both servers must be of the same client.')
    }
    if (row.clusterId !== source.clusterId) {
      const message = 'That server is on another cluster, which cannot read this backup.'
      throw new AppError('INVALID_STATE', message)
    }
    return { source, row, backup }
  }

  /** One that is protected stays: the schedule needs its places beside it. */
  const requirePlace = async (tx: Db, row: OwnedServer) => {
    const { keep, held, limit, storage } = await placesOf(tx, row, row.token.id)
    if (keep === 0 || keep + held + 1 <= limit) return
    const why = scheduleRefusal(keep, { limit, held: held + 1, hasStorage: storage !== null })
    throw new AppError('INVALID_STATE', `The schedule needs this place. ${why ?? ''}`.trim())
  }

  /** In the cluster first: a row never claims a protection that is not there. */
  const protect = async (actor: Actor, ids: Ids, isProtected: boolean): Promise<void> => {
    const { row, backup } = await db.transaction(async (tx) => {
      const found = await lockReady(tx, actor, ids, 'deleteBackup')
      if (isProtected && found.backup.origin === 'schedule') await requirePlace(tx, found.row)
      return found
    })
    const { hypervisor } = hypervisors.of(row.clusterId)
    const { storage, volume, key } = backup
    await hypervisor.protectBackup(vmAddress(row), { storage, volume, key }, isProtected)
    await db.transaction(async (tx) => {
      await tx.update(backups).set({ isProtected }).where(eq(backups.id, backup.id))
      const action = isProtected ? 'instance.backup-protected' : 'instance.backup-unprotected'
      const details = { backup: backup.name }
      await audit.record(tx, actor, { action, target: `instance:${row.id}`, details })
    })
  }

  return {
    async list(actor: Actor, id: number) {
      const row = await serverRow(db, actor, id)
      const places = await placesOf(db, row, row.token?.id ?? 0)
      const { made: own, limit } = places
      const view = await lookIfPossible(row, own)
      return {
        backups: own.map((one) => shown(one, view)).toReversed(),
        quota: { used: own.filter(({ origin }) => origin !== 'end').length, most: limit },
        refusal: handRefusal(places) ?? null,
        snapshots: (await snapshotsOf(db, id)).length,
        confirm: nameToType(row),
        others: await othersOf(actor, row),
      }
    },

    make: (actor: Actor, id: number, { name }: z.output<typeof BackupMake>) =>
      db.transaction(async (tx) => {
        const row = await lockServer(tx, { actor, id, act: 'backup' }, deps)
        const { token } = row
        const wanted = { instance: row, token, origin: 'hand' as const, name, now: clock.now() }
        const backup = await reserveBackup(tx, wanted, deps.random)
        const action = 'instance.backup'
        return await begin(tx, actor, { row, backup, job: deps.backup, action, mayWait: true })
      }),

    restore: (actor: Actor, ids: Ids, { as, into = 0, confirm }: z.output<typeof Restore>) =>
      db.transaction(async (tx) => {
        const action = 'instance.restore'
        if (as === 'same') {
          const { row, backup } = await lockReady(tx, actor, ids, 'restore')
          requireTyped(row, confirm)
          return await begin(tx, actor, { row, backup, job: deps.restore, action })
        }
        const { source, row, backup } = await lockBoth(tx, actor, ids, into)
        requireTyped(row, confirm)
        return await begin(tx, actor, { row, backup, job: deps.restore, action, source })
      }),

    /** A storage can be slower than a person's patience: what it then did is still recorded. */
    async protect(actor: Actor, ids: Ids, { isProtected }: z.output<typeof Protection>) {
      const work = turn(`instance:${ids.id}`, () => protect(actor, ids, isProtected))
      background.run('protecting a backup', () => settled(work))
      await answerOf(log, work, UNCONFIRMED)
      return { isProtected }
    },

    /** One that waits for its turn goes at once: its job finds nothing to make, and ends. */
    remove: (actor: Actor, ids: Ids) =>
      db.transaction(async (tx) => {
        const { row, backup } = await lockWith(tx, actor, ids, 'deleteBackup')
        const waiting = await waitingJobOf(tx, backup)
        if (waiting !== undefined) {
          await forgetUnmade(tx, backup.id)
          await publishTokenChange(tx, events, row.ownerId)
          const entry = { action: 'instance.backup-cancelled', details: { backup: backup.name } }
          await audit.record(tx, actor, { ...entry, target: `instance:${row.id}` })
          return { jobId: waiting }
        }
        requireReady(backup)
        if (backup.isProtected) {
          const message = 'This backup is protected. End its protection, then delete it.'
          throw new AppError('INVALID_STATE', message)
        }
        await tx.update(backups).set({ state: 'deleting' }).where(eq(backups.id, backup.id))
        const job = deps.deleteBackup
        return await begin(tx, actor, { row, backup, job, action: 'instance.backup-delete' })
      }),
  }
}

/** Both servers are asked for the same act: the sentence says which of them refuses. */
function ofTarget(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error
  throw new AppError('INVALID_STATE', `The server that is to get the backup: ${error.message}`)
}

function requireReady({ state }: BackupRow): void {
  if (state === 'ready') return
  throw new AppError('INVALID_STATE', 'Another action is still running on this backup.')
}

const shown = (row: BackupRow, view: ArchiveView[] | undefined) => ({
  id: row.id,
  name: row.name,
  origin: row.origin,
  state: row.state,
  isWaiting: isWaiting(row),
  osType: row.osType,
  takenAt: row.takenAt,
  sizeBytes: row.sizeBytes,
  isProtected: row.isProtected,
  isThere: isThere(row, view),
})

function isThere({ state, key, volume }: BackupRow, view: ArchiveView[] | undefined) {
  if (view === undefined || state === 'creating') return null
  return view.some((one) => one.key === key || one.volume === volume)
}
