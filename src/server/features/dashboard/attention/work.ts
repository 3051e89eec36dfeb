import { and, eq, gt, inArray, isNotNull, isNull, lt } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { STUCK_MINUTES, stuckBefore } from '#shared/rules/time/stuck-jobs.ts'
import { jobs } from '../../../db/schema/work.ts'
import { UNFINISHED } from '../../../jobs/job-store.ts'
import { found, plural, type Watch } from './watch.ts'

const FAILED_DAYS = 7

/** The panel lists them with their errors and a button to run them again. */
export const failedJobs: Watch = async ({ db, clock }) => {
  const since = new Date(clock.now().getTime() - FAILED_DAYS * DAY_MS)
  const list = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.state, 'failed'), gt(jobs.updatedAt, since)))
  const message = `${plural(list.length, 'job has', 'jobs have')} failed`
  return found({ kind: 'failed-jobs', tone: 'bad', message, path: '/admin-dashboard' }, list)
}

/** Undoing them fails repeatedly: an operator has to clear what blocks it, or give up. */
export const jobsNotUndone: Watch = async ({ db }) => {
  const list = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.state, 'undoing'), isNotNull(jobs.stuck), isNull(jobs.givenUpAt)))
  const message = `${plural(list.length, 'failed sale', 'failed sales')} cannot be cleaned up`
  return found({ kind: 'jobs-not-undone', tone: 'bad', message, path: '/admin-dashboard' }, list)
}

/** The panel lists them with what they wait for. */
export const stuckJobs: Watch = async ({ db, clock }) => {
  const list = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(inArray(jobs.state, UNFINISHED), lt(jobs.createdAt, stuckBefore(clock.now()))))
  const message = `${plural(list.length, 'job is', 'jobs are')} still not done after ${STUCK_MINUTES} minutes`
  return found({ kind: 'stuck-jobs', tone: 'warn', message, path: '/admin-dashboard' }, list)
}
