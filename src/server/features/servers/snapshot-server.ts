import { and, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { Rollback, SnapshotTake } from '#shared/api/servers/snapshots.ts'
import { AppError, notFound } from '#shared/errors.ts'
import type { ServerAct } from '#shared/rules/instance/server-acts.ts'
import { lostWith, quotaRefusal, roomRefusal } from '#shared/rules/instance/snapshots.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { snapshots } from '../../db/schema/snapshots.ts'
import type { Hypervisor } from '../../hypervisor/port/hypervisor.ts'
import type { SnapshotView } from '../../hypervisor/port/snapshots.ts'
import { nameToType, requireTyped } from '../../inventory/views/typed-name.ts'
import { vmAddress } from '../../inventory/vm/vm-marker.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import { answerOf } from '../../lib/async/patience.ts'
import { sharedAnswers } from '../../lib/async/shared-answers.ts'
import type { DeleteSnapshotJob } from '../../provisioning/snapshots/delete-job.ts'
import type { RollbackJob } from '../../provisioning/snapshots/rollback-job.ts'
import {
  reserveSnapshot,
  type SnapshotRow,
  snapshotsOf,
  termsOf,
} from '../../provisioning/snapshots/snapshot-rows.ts'
import { holdForSnapshot, type SnapshotInput } from '../../provisioning/snapshots/snapshot-state.ts'
import type { TakeJob } from '../../provisioning/snapshots/take-job.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { lockServer, type OwnedServer } from './locked-server.ts'
import { type ServerRow, serverRow } from './server-row.ts'
import type { ViewDeps } from './server-view.ts'

export type SnapshotDeps = ViewDeps &
  Pick<Deps, 'db' | 'events' | 'jobs' | 'hypervisors' | 'random' | 'log'> & {
    audit: Audit
    snapshot: TakeJob
    rollback: RollbackJob
    deleteSnapshot: DeleteSnapshotJob
  }

type Ids = { id: number; snapshotId: number }

/** The snapshots of a server, for its owner and for operators. */
export function snapshotServer(deps: SnapshotDeps) {
  const { db, clock, events, jobs, audit, log } = deps

  /** Undefined while the cluster does not answer: ours are known without it. */
  const lookIfPossible = async (row: ServerRow): Promise<SnapshotView | undefined> => {
    if (row.missingSince !== null || row.marker === null) return undefined
    try {
      return await lookAt(row, deps)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.debug({ err: error, vmId: row.vmId }, 'the snapshots could not be read')
      return undefined
    }
  }

  /** Claims the server, begins the job and tells everyone, in the caller's transaction. */
  const begin = async (
    tx: Db,
    actor: Actor,
    { row, snapshot, job, action }: Begun,
  ): Promise<{ jobId: string }> => {
    const server = { id: row.id, name: row.name, tokenId: row.token.id }
    const input = await holdForSnapshot(tx, server, snapshot, clock.now())
    const { ownerId } = row
    const jobId = await jobs.enqueue(tx, job, input, ownerId === null ? {} : { ownerId })
    await publishTokenChange(tx, events, ownerId)
    const details = { snapshot: snapshot.name }
    await audit.record(tx, actor, { action, target: `instance:${row.id}`, details })
    return { jobId }
  }

  const lockWith = async (tx: Db, actor: Actor, { id, snapshotId }: Ids, act: ServerAct) => {
    const row = await lockServer(tx, { actor, id, act }, deps)
    const isIt = and(eq(snapshots.id, snapshotId), eq(snapshots.instanceId, id))
    const [snapshot] = await tx.select().from(snapshots).where(isIt)
    if (!snapshot) throw notFound('Snapshot')
    if (snapshot.state !== 'ready') {
      throw new AppError('INVALID_STATE', 'Another action is still running on this snapshot.')
    }
    return { row, snapshot }
  }

  return {
    async list(actor: Actor, id: number) {
      const row = await serverRow(db, actor, id)
      const own = await snapshotsOf(db, id)
      const terms = await termsOf(db, row.token?.id ?? 0)
      const view = await lookIfPossible(row)
      return {
        snapshots: own.map((one) => shown(one, own, view)).toReversed(),
        others: view ? othersOf(view, own) : null,
        quota: { used: own.length, most: terms.quota },
        longestDays: terms.days,
        refusal: refusalOf(own.length, terms.quota, view) ?? null,
        confirm: nameToType(row),
      }
    },

    async take(actor: Actor, id: number, wish: z.output<typeof SnapshotTake>) {
      const requireRoom = await roomCheck(await serverRow(db, actor, id), deps)
      return await db.transaction(async (tx) => {
        const row = await lockServer(tx, { actor, id, act: 'snapshot' }, deps)
        requireRoom()
        const { name, days } = wish
        const wanted = { instanceId: id, token: row.token, name, days, now: clock.now() }
        const snapshot = await reserveSnapshot(tx, wanted, deps.random)
        const job = deps.snapshot
        return await begin(tx, actor, { row, snapshot, job, action: 'instance.snapshot' })
      })
    },

    rollBack: (actor: Actor, ids: Ids, { confirm }: z.output<typeof Rollback>) =>
      db.transaction(async (tx) => {
        const { row, snapshot } = await lockWith(tx, actor, ids, 'rollback')
        requireTyped(row, confirm)
        const job = deps.rollback
        return await begin(tx, actor, { row, snapshot, job, action: 'instance.rollback' })
      }),

    remove: (actor: Actor, ids: Ids) =>
      db.transaction(async (tx) => {
        const { row, snapshot } = await lockWith(tx, actor, ids, 'deleteSnapshot')
        await tx.update(snapshots).set({ state: 'deleting' }).where(eq(snapshots.id, snapshot.id))
        const job = deps.deleteSnapshot
        return await begin(tx, actor, { row, snapshot, job, action: 'instance.snapshot-delete' })
      }),
  }
}

type LookDeps = Pick<Deps, 'hypervisors' | 'log'>

/** Fifty presses at once must not ask a cluster fifty times. */
const shared = sharedAnswers<Hypervisor, SnapshotView>()

function lookAt(row: ServerRow, { hypervisors, log }: LookDeps): Promise<SnapshotView> {
  const { hypervisor } = hypervisors.of(row.clusterId)
  return answerOf(
    log,
    shared(hypervisor, row.vmId, () => hypervisor.snapshots(vmAddress(row))),
  )
}

/**
 * Looks before the transaction whether there is room; throws within it, so that a repeated press is
 * answered first. The job looks again.
 */
export async function roomCheck(row: ServerRow, deps: LookDeps): Promise<() => void> {
  const [looked] = await Promise.allSettled([lookAt(row, deps)])
  return () => {
    if (looked.status === 'rejected') throw looked.reason
    const { room } = looked.value
    const why = room && roomRefusal(room)
    if (why !== undefined) throw new AppError('INVALID_STATE', why)
  }
}

type Begun = {
  row: OwnedServer
  snapshot: SnapshotRow
  job: JobDefinition<z.ZodType<SnapshotInput>>
  action: string
}

const shown = (row: SnapshotRow, all: SnapshotRow[], view: SnapshotView | undefined) => ({
  id: row.id,
  name: row.name,
  state: row.state,
  osType: row.osType,
  takenAt: row.takenAt,
  expiresAt: row.expiresAt,
  isOldDisk: view !== undefined && row.volume !== null && row.volume !== view.volume,
  removes: lostWith(row, all, view?.onlyNewest ?? false).map(({ name }) => name),
})

/** Made in Proxmox itself. */
function othersOf({ snapshots: listed }: SnapshotView, own: SnapshotRow[]) {
  const ours = new Set(own.map(({ vmSnapshot }) => vmSnapshot))
  return listed
    .filter(({ name }) => !ours.has(name))
    .map(({ name, takenAt }) => ({ name, takenAt: takenAt ?? null }))
}

const refusalOf = (taken: number, quota: number, view: SnapshotView | undefined) =>
  quotaRefusal(taken, quota) ?? (view?.room && roomRefusal(view.room))
