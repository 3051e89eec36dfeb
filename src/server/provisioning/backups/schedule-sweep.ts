import { and, asc, eq, inArray, isNotNull, isNull, lte, or } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { MOST_TRIES, RETRY_MS } from '#shared/rules/instance/backup-schedule.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { backupSchedules } from '../../db/schema/snapshots.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs as jobsTable } from '../../db/schema/work.ts'
import { errorFor } from '../../jobs/job-store.ts'
import type { Deps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import type { BackupJob } from './backup-job.ts'
import { reserveBackup } from './backup-rows.ts'
import { wishForBackup } from './backup-state.ts'
import { isIdle, isItself, isNodeFree, lockNode } from './free-server.ts'
import { nextTurnOf, type ScheduleRow } from './schedule-rows.ts'

export type ScheduleDeps = Pick<Deps, 'db' | 'clock' | 'jobs' | 'events' | 'random'> & {
  audit: Audit
  backup: BackupJob
}

/**
 * Begins the backups that are due, one on each node at a time, the longest overdue first. What is
 * due stays due until its backup was begun, so a full night or an outage delays backups and skips
 * none; a server that missed several turns is backed up once.
 */
export function createScheduleSweep(deps: ScheduleDeps) {
  const { db, clock, jobs, events, audit, random } = deps

  const isDue = (now: Date) =>
    and(
      lte(backupSchedules.dueAt, now),
      isNull(backupSchedules.jobId),
      eq(tokens.status, 'assigned'),
      isNull(instances.suspendedAt),
      isIdle(now),
      isItself,
      isNodeFree,
    )

  const dueRows = (tx: Db, now: Date) =>
    tx
      .selectDistinctOn([instances.clusterId, instances.nodeId], {
        instanceId: instances.id,
        tokenId: tokens.id,
        clusterId: instances.clusterId,
        nodeId: instances.nodeId,
      })
      .from(backupSchedules)
      .innerJoin(instances, eq(instances.id, backupSchedules.instanceId))
      .innerJoin(tokens, eq(tokens.id, instances.tokenId))
      .where(isDue(now))
      .orderBy(asc(instances.clusterId), asc(instances.nodeId), asc(backupSchedules.dueAt))

  type Due = Awaited<ReturnType<typeof dueRows>>[number]

  const begin = (due: Due) =>
    db.transaction(async (tx) => {
      const now = clock.now()
      await lockNode(tx, due)
      await tx.select().from(tokens).where(eq(tokens.id, due.tokenId)).for('update')
      await tx.select().from(instances).where(eq(instances.id, due.instanceId)).for('update')
      const [row] = await tx
        .select({ schedule: backupSchedules, instance: instances, token: tokens })
        .from(backupSchedules)
        .innerJoin(instances, eq(instances.id, backupSchedules.instanceId))
        .innerJoin(tokens, eq(tokens.id, instances.tokenId))
        .where(and(eq(backupSchedules.instanceId, due.instanceId), isDue(now)))
      if (!row) return
      const { schedule, instance, token } = row
      try {
        const backup = await reserveBackup(tx, { instance, token, origin: 'schedule', now }, random)
        const server = { id: instance.id, name: instance.name, tokenId: token.id }
        const input = wishForBackup(server, backup.id, now)
        const { ownerId } = instance
        const owner = ownerId === null ? {} : { ownerId }
        const jobId = await jobs.enqueue(tx, deps.backup, input, owner)
        await update(tx, schedule, { jobId })
        await publishTokenChange(tx, events, ownerId)
      } catch (error) {
        // Refused before anything was written: no storage is set up, or every place is taken.
        if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error
        await fail(tx, { schedule, ownerId: instance.ownerId }, error.message, now)
        const target = `instance:${instance.id}`
        const details = { why: error.message }
        await audit.record(tx, undefined, { action: 'instance.backup-refused', target, details })
      }
    })

  const update = (tx: Db, { instanceId }: ScheduleRow, values: Partial<ScheduleRow>) =>
    tx.update(backupSchedules).set(values).where(eq(backupSchedules.instanceId, instanceId))

  type Failed = { schedule: ScheduleRow; ownerId: number | null }

  const fail = async (tx: Db, { schedule, ownerId }: Failed, failure: string, now: Date) => {
    const isLast = schedule.tries + 1 >= MOST_TRIES
    await update(tx, schedule, {
      jobId: null,
      tries: isLast ? 0 : schedule.tries + 1,
      failedAt: now,
      failure,
      dueAt: isLast ? nextTurnOf(schedule, now) : new Date(now.getTime() + RETRY_MS),
    })
    await publishTokenChange(tx, events, ownerId)
  }

  /** Reads how the backups under way ended. */
  const settle = (instanceId: number) =>
    db.transaction(async (tx) => {
      const now = clock.now()
      const isIt = eq(backupSchedules.instanceId, instanceId)
      const [schedule] = await tx.select().from(backupSchedules).where(isIt).for('update')
      if (!schedule || schedule.jobId === null) return
      const [job] = await tx.select().from(jobsTable).where(eq(jobsTable.id, schedule.jobId))
      if (job?.state === 'done') {
        const dueAt = nextTurnOf(schedule, now)
        await update(tx, schedule, { jobId: null, tries: 0, failedAt: null, failure: null, dueAt })
      } else if (!job || job.state === 'failed') {
        const why = (job && errorFor('client', job)) ?? 'The backup could not be made.'
        await fail(tx, { schedule, ownerId: job?.ownerId ?? null }, why, now)
      }
    })

  const ended = () =>
    db
      .select({ instanceId: backupSchedules.instanceId })
      .from(backupSchedules)
      .leftJoin(jobsTable, eq(jobsTable.id, backupSchedules.jobId))
      .where(
        and(
          isNotNull(backupSchedules.jobId),
          or(isNull(jobsTable.id), inArray(jobsTable.state, ['done', 'failed'])),
        ),
      )

  return async (): Promise<void> => {
    for (const { instanceId } of await ended()) await settle(instanceId)
    for (const due of await dueRows(db, clock.now())) await begin(due)
  }
}
