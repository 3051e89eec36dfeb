import { eq } from 'drizzle-orm'
import { type BackupPace, nextTurn, USUAL_WINDOW } from '#shared/rules/instance/backup-schedule.ts'
import type { Db } from '../../db/database.ts'
import { backupSchedules } from '../../db/schema/snapshots.ts'

export type ScheduleRow = typeof backupSchedules.$inferSelect
type Wish = { every: 'none' | BackupPace; window: ScheduleWindow; keep: number }
type ScheduleWindow = ReturnType<typeof windowOf>

const windowOf = ({
  fromHour: from,
  hours,
  weekday,
}: Pick<ScheduleRow, 'fromHour' | 'hours' | 'weekday'>) => ({ from, hours, weekday })

export async function scheduleOf(db: Db, instanceId: number): Promise<ScheduleRow | undefined> {
  const isIt = eq(backupSchedules.instanceId, instanceId)
  const [row] = await db.select().from(backupSchedules).where(isIt)
  return row
}

export const nextTurnOf = (row: ScheduleRow, after: Date): Date =>
  nextTurn({ ...row, window: windowOf(row) }, { instanceId: row.instanceId, after })

/** The caller holds the lock of the instance. A backup that is being made goes on. */
export async function storeSchedule(
  tx: Db,
  instanceId: number,
  { every, window, keep }: Wish,
  now: Date,
): Promise<void> {
  if (every === 'none') {
    await tx.delete(backupSchedules).where(eq(backupSchedules.instanceId, instanceId))
    return
  }
  const values = {
    every,
    fromHour: window.from,
    hours: window.hours,
    weekday: every === 'week' ? window.weekday : null,
    keep,
    changedAt: now,
    dueAt: nextTurn({ every, window }, { instanceId, after: now }),
    tries: 0,
    failedAt: null,
    failure: null,
  }
  await tx
    .insert(backupSchedules)
    .values({ instanceId, ...values })
    .onConflictDoUpdate({ target: backupSchedules.instanceId, set: values })
}

/** What a client reads of it. */
export const shownSchedule = (row: ScheduleRow | undefined) => ({
  every: row?.every ?? ('none' as const),
  window: row ? windowOf(row) : USUAL_WINDOW,
  keep: row?.keep ?? 1,
  nextAt: row?.dueAt ?? null,
  failure: row?.failedAt && row.failure !== null ? { at: row.failedAt, why: row.failure } : null,
})
