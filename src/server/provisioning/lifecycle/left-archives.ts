import { and, asc, eq, gt, isNotNull, isNull, lte, ne, or } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { backups } from '../../db/schema/snapshots.ts'
import type { Deps } from '../../runtime/deps.ts'

/** After a deletion that failed, the next is begun this much later. */
const RETRY_MS = 10 * MINUTE_MS
const AT_ONCE = 100

type BackupRow = typeof backups.$inferSelect
type DropDeps = Pick<Deps, 'db' | 'hypervisors'>

/** The row goes after its archive: a process that dies in between does it once more. */
async function dropArchive({ db, hypervisors }: DropDeps, row: BackupRow): Promise<void> {
  const { clusterId, vmId, storage, volume, key } = row
  if (clusterId !== null && vmId !== null) {
    await hypervisors.of(clusterId).hypervisor.deleteArchive(vmId, { storage, volume, key })
  }
  await db.delete(backups).where(eq(backups.id, row.id))
}

/**
 * The archives of a server that is about to be destroyed, before it is: many accounts see only
 * archives of VMs that exist. One that is being made right now is left to the sweep.
 */
export async function dropArchivesOf(deps: DropDeps, instanceId: number): Promise<void> {
  const isTheirs = and(eq(backups.instanceId, instanceId), ne(backups.state, 'creating'))
  for (const row of await deps.db.select().from(backups).where(isTheirs)) {
    await dropArchive(deps, row)
  }
}

/** Deletes the archives of servers that are gone; those of a cluster that is away have their turn later. */
export function createLeftArchiveSweep(deps: DropDeps & Pick<Deps, 'clock' | 'log'>) {
  const { db, clock, log } = deps

  const isDue = (now: Date) =>
    and(
      isNull(backups.instanceId),
      or(
        isNull(backups.triedAt),
        lte(backups.triedAt, new Date(now.getTime() - RETRY_MS)),
        // A clock that ran ahead leaves times in the future.
        gt(backups.triedAt, now),
      ),
    )

  /** The one that updates the row has it: other processes pass it by. */
  const claim = async (id: number, now: Date) => {
    const [row] = await db
      .update(backups)
      .set({ triedAt: now, turn: null })
      .where(and(eq(backups.id, id), isDue(now)))
      .returning()
    return row
  }

  return async (): Promise<void> => {
    const now = clock.now()
    const due = await db
      .select({ id: backups.id })
      .from(backups)
      .where(and(isDue(now), isNotNull(backups.clusterId)))
      .orderBy(asc(backups.id))
      .limit(AT_ONCE)
    for (const { id } of due) {
      const row = await claim(id, now)
      if (!row) continue
      try {
        await dropArchive(deps, row)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        await db.update(backups).set({ failure: error.message }).where(eq(backups.id, id))
        log.warn(
          { err: error, volume: row.volume },
          'the archive of a former server was not deleted',
        )
      }
    }
  }
}
