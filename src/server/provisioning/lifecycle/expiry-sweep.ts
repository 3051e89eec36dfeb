import { and, gt, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { tokens } from '../../db/schema/stock.ts'
import { jobs as jobsTable } from '../../db/schema/work.ts'
import { tokenSubject } from '../../jobs/job-definition.ts'
import type { Deps } from '../../runtime/deps.ts'
import { moveTokens } from '../../tokens/move-token.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import type { endJob, LifecycleDeps, startJob, stopJob } from './lifecycle-jobs.ts'
import {
  type Ended,
  endedTokens,
  isGraceOver,
  orderRemovals,
  type RemovalConfig,
  recordEnds,
  removals,
} from './server-ends.ts'
import type { Witness, Witnessed } from './witness.ts'

const SWEEP_LOCK = 7_304_214
/** How long after giving up (after a long outage of the cluster) a job is retried. */
const RETRY_MINUTES = 15
/**
 * The minimum remaining time for a revival, so that a small clock correction does not revive a
 * server for a moment.
 */
const REVIVE_MS = 10 * 60_000

type SweepDeps = LifecycleDeps & {
  config: RemovalConfig
  witness: Witness
  jobs: Pick<Deps['jobs'], 'enqueue' | 'retry'>
  stop: ReturnType<typeof stopJob>
  start: ReturnType<typeof startJob>
  end: ReturnType<typeof endJob>
}

type PastJob = {
  id: string
  kind: string
  state: string
  subject: string | null
  since: string | null
  isRecent: boolean
}

/**
 * Applies time to tokens (T6): expires a token whose time is over, stops its server, and removes it
 * after the grace period. Skips what is already in progress, so it may run at any rate and in any
 * number of processes.
 *
 * Never expires and removes in one sweep: an end is recorded first, and only an end that has been
 * recorded for the whole grace period, in witnessed time, leads to a removal (decision 016).
 */
export function expirySweep(deps: SweepDeps) {
  const { db, clock, jobs, witness } = deps
  return async (): Promise<void> => {
    const failed = await db.transaction(async (tx) => {
      if (!(await lock(tx))) return []
      const now = clock.now()
      const witnessed = await witness(tx)
      const revived = await reviveEarly(tx, now)
      const expired = await expireDue(tx, now)
      const again = await removeEnded(deps, tx, { now, witnessed })
      for (const token of revived) await start(deps, tx, token)
      for (const token of [...revived, ...expired]) {
        await publishTokenChange(tx, deps.events, token.assignedUserId)
      }
      await note(deps, tx, 'token.revive', revived)
      await note(deps, tx, 'token.expire', expired)
      return again
    })
    for (const jobId of failed) await jobs.retry(jobId)
  }
}

async function note({ audit }: SweepDeps, tx: Db, action: string, rows: TokenRow[]) {
  for (const { id } of rows) await audit.record(tx, undefined, { action, target: `token:${id}` })
}

async function lock(tx: Db): Promise<boolean> {
  const taken = await tx.execute(sql`select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as held`)
  return (taken as unknown as { rows: { held: boolean }[] }).rows[0]?.held === true
}

const expireDue = (tx: Db, now: Date): Promise<TokenRow[]> =>
  moveTokens(tx, lte(tokens.expiresAt, now), { to: 'expired', from: ['assigned'] })

/** Expired by a wrong clock: its time is not over, so it runs again. */
const reviveEarly = (tx: Db, now: Date): Promise<TokenRow[]> => {
  const isTooEarly = and(
    gt(tokens.expiresAt, new Date(now.getTime() + REVIVE_MS)),
    isNotNull(tokens.assignedInstanceId),
  )
  return moveTokens(tx, isTooEarly, { to: 'assigned', from: ['expired'] })
}

const ownerOf = ({ assignedUserId }: TokenRow) =>
  assignedUserId === null ? {} : { ownerId: assignedUserId }

const start = (deps: SweepDeps, tx: Db, token: TokenRow) =>
  deps.jobs.enqueue(tx, deps.start, { tokenId: token.id, name: token.name }, ownerOf(token))

/** Returns the jobs to retry. */
async function removeEnded(
  deps: SweepDeps,
  tx: Db,
  moment: { now: Date; witnessed: Witnessed },
): Promise<string[]> {
  const { witnessed } = moment
  const rows = await endedTokens(tx)
  const ends = await recordEnds(tx, rows, moment)
  if (rows.length === 0) return []
  const due: Ended[] = []
  for (const token of rows) {
    const end = ends.get(token.id)
    if (!end || end.isNew) continue
    if (isGraceOver({ token, end }, moment, deps.config)) due.push({ token, end })
  }
  const { allowed } = await removals(tx, due, witnessed, deps.config)
  await orderRemovals(tx, allowed, witnessed)
  const toRemove = new Set(
    due.filter(({ end }) => end.orderedMs !== null).map(({ token }) => token),
  )
  const want = createWant(deps, tx, await pastJobs(tx, rows))
  for (const token of rows) {
    const since = ends.get(token.id)?.since
    if (since !== undefined) await want(token, since, toRemove.has(token) ? deps.end : deps.stop)
  }
  return want.again
}

/**
 * Enqueues a job unless it is already enqueued; collects the failed ones that are due for a retry.
 */
function createWant(deps: SweepDeps, tx: Db, past: readonly PastJob[]) {
  const again: string[] = []
  const want = async (
    token: TokenRow,
    since: string,
    job: SweepDeps['stop'] | SweepDeps['end'],
  ) => {
    const subject = tokenSubject(token.id)
    const same = past.filter(
      (row) => row.kind === job.kind && row.subject === subject && row.since === since,
    )
    const failed = same.find(({ state }) => state === 'failed')
    if (failed && same.length === 1 && !failed.isRecent) again.push(failed.id)
    // A finished removal that kept its server had decided against it, which may change.
    const isOver = ({ state, isRecent }: PastJob) =>
      job.kind === 'end' && state === 'done' && !isRecent
    if (!same.every(isOver)) return
    await deps.jobs.enqueue(tx, job, { tokenId: token.id, name: token.name, since }, ownerOf(token))
  }
  return Object.assign(want, { again })
}

function pastJobs(tx: Db, ended: readonly TokenRow[]): Promise<PastJob[]> {
  const subjects = ended.map(({ id }) => tokenSubject(id))
  return tx
    .select({
      id: jobsTable.id,
      kind: jobsTable.kind,
      state: jobsTable.state,
      subject: jobsTable.subject,
      since: sql<string | null>`${jobsTable.input} ->> 'since'`,
      // `abs`: a clock that ran ahead leaves times in the future, which would otherwise stay
      // recent for weeks.
      isRecent: sql<boolean>`abs(extract(epoch from now() - ${jobsTable.updatedAt})) < ${RETRY_MINUTES * 60}`,
    })
    .from(jobsTable)
    .where(and(inArray(jobsTable.kind, ['stop', 'end']), inArray(jobsTable.subject, subjects)))
}
