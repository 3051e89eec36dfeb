import { and, desc, eq, gt, inArray, or } from 'drizzle-orm'
import type { z } from 'zod'
import type { Job } from '#shared/api/overview/dashboard.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { jobs as table } from '../../db/schema/work.ts'
import { errorFor, UNFINISHED } from '../../jobs/job-store.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'

/** How long a failure stays in the list. */
const LATELY_MS = 7 * DAY_MS
const MOST = 200

type JobsServiceDeps = Pick<Deps, 'db' | 'clock' | 'jobs'> & { audit: Audit }

export function jobsService({ db, clock, jobs, audit }: JobsServiceDeps) {
  return {
    async list(actor: Actor) {
      const seesAll = isAdmin(actor)
      const since = new Date(clock.now().getTime() - LATELY_MS)
      const isShown = or(
        inArray(table.state, UNFINISHED),
        and(eq(table.state, 'failed'), gt(table.updatedAt, since)),
      )
      const rows = await db
        .select()
        .from(table)
        .where(and(isShown, seesAll ? undefined : eq(table.ownerId, actor.user.id)))
        .orderBy(desc(table.createdAt))
        .limit(MOST)
      return rows.map((row) => toJob(row, seesAll ? 'admin' : 'client'))
    },

    async retry(actor: Actor, id: string) {
      const byId = async () => (await db.select().from(table).where(eq(table.id, id)))[0]
      if (!(await byId())) throw notFound('Job')
      if (!(await jobs.retry(id))) {
        throw new AppError('INVALID_STATE', 'Only a job that has failed can be run again.')
      }
      const target = `job:${id}`
      await db.transaction((tx) => audit.record(tx, actor, { action: 'job.retry', target }))
      const row = await byId()
      if (!row) throw notFound('Job')
      return toJob(row, 'admin')
    },

    /** The operator takes over what cannot be undone. */
    async giveUp(actor: Actor, id: string) {
      const byId = async () => (await db.select().from(table).where(eq(table.id, id)))[0]
      if (!(await byId())) throw notFound('Job')
      if (!(await jobs.giveUp(id))) {
        throw new AppError('INVALID_STATE', 'Only a job that cannot be undone can be given up.')
      }
      const target = `job:${id}`
      await db.transaction((tx) => audit.record(tx, actor, { action: 'job.give-up', target }))
      const row = await byId()
      if (!row) throw notFound('Job')
      return toJob(row, 'admin')
    },
  }
}

const toJob = (
  row: typeof table.$inferSelect,
  reader: 'admin' | 'client',
): z.input<typeof Job> => ({
  id: row.id,
  kind: row.kind,
  title: row.title,
  state: row.state as z.input<typeof Job>['state'],
  step: row.step,
  progress: row.progress,
  error: errorFor(reader, row),
  isStuck: reader === 'admin' && row.state === 'undoing' && row.stuck !== null,
  ownerId: row.ownerId,
  startedAt: row.createdAt,
})
