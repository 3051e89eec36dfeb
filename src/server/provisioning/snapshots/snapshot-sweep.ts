import { and, asc, eq, gt, isNotNull, isNull, lte, or } from 'drizzle-orm'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { snapshots } from '../../db/schema/snapshots.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { isHeld } from '../../inventory/vm/acts-under-way.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { DeleteSnapshotJob } from './delete-job.ts'
import { holdForSnapshot } from './snapshot-state.ts'

/** After a deletion that failed, the next is begun this much later. */
const RETRY_MS = 10 * MINUTE_MS
const AT_ONCE = 100

type SweepDeps = Pick<Deps, 'db' | 'clock' | 'jobs'> & { deleteSnapshot: DeleteSnapshotJob }

/** Deletes the snapshots whose time is over. A server that another job holds has its turn later. */
export function createSnapshotSweep({ db, clock, jobs, deleteSnapshot }: SweepDeps) {
  const isDue = (now: Date) =>
    and(
      eq(snapshots.state, 'ready'),
      lte(snapshots.expiresAt, now),
      or(
        isNull(snapshots.triedAt),
        lte(snapshots.triedAt, new Date(now.getTime() - RETRY_MS)),
        // A clock that ran ahead leaves times in the future.
        gt(snapshots.triedAt, now),
      ),
    )

  const begin = (id: number, instanceId: number, tokenId: number) =>
    db.transaction(async (tx) => {
      const now = clock.now()
      await tx.select().from(tokens).where(eq(tokens.id, tokenId)).for('update')
      const instance = await lockInstance(tx, instanceId)
      const [row] = await tx
        .select()
        .from(snapshots)
        .where(and(eq(snapshots.id, id), isDue(now)))
      if (!row || !instance || instance.missingSince !== null || isHeld(instance, now)) return
      await tx
        .update(snapshots)
        .set({ state: 'deleting', triedAt: now })
        .where(eq(snapshots.id, row.id))
      const server = { id: instanceId, name: instance.name, tokenId }
      const input = await holdForSnapshot(tx, server, row, now)
      const { ownerId } = instance
      await jobs.enqueue(tx, deleteSnapshot, input, ownerId === null ? {} : { ownerId })
    })

  return async (): Promise<void> => {
    const due = await db
      .select({ id: snapshots.id, instanceId: instances.id, tokenId: instances.tokenId })
      .from(snapshots)
      .innerJoin(instances, eq(instances.id, snapshots.instanceId))
      .where(and(isDue(clock.now()), isNull(instances.missingSince), isNotNull(instances.tokenId)))
      .orderBy(asc(snapshots.expiresAt))
      .limit(AT_ONCE)
    for (const { id, instanceId, tokenId } of due) {
      if (tokenId !== null) await begin(id, instanceId, tokenId)
    }
  }
}

async function lockInstance(tx: Db, id: number) {
  const [instance] = await tx.select().from(instances).where(eq(instances.id, id)).for('update')
  return instance
}
