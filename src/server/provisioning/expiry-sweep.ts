import { and, eq, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import { keptUntil } from '#shared/rules/token-expiry.ts'
import type { Db } from '../db/database.ts'
import { tokens } from '../db/schema/stock.ts'
import { jobs as jobsTable } from '../db/schema/work.ts'
import type { Deps } from '../deps.ts'
import type { endJob, LifecycleDeps, stopJob } from './lifecycle-jobs.ts'
import { tellOwner } from './provision-world.ts'
import type { TokenRow } from './token-rows.ts'

const SWEEP_LOCK = 7_304_214
/** After this a job that gave up (the cluster was away for long) is tried again. */
const RETRY_MINUTES = 15

type SweepDeps = LifecycleDeps & {
  jobs: Pick<Deps['jobs'], 'enqueue' | 'retry'>
  stop: ReturnType<typeof stopJob>
  end: ReturnType<typeof endJob>
}

type PastJob = {
  id: string
  kind: string
  state: string
  tokenId: string | null
  since: string | null
  isRecent: boolean
}

/**
 * What the clock does to tokens (T6). Says only what must be: a token whose time is over is
 * expired, a server that ended is stopped, and removed after its grace. What is already under way
 * is left alone, so this may run as often as it likes, in as many processes.
 */
export function expirySweep(deps: SweepDeps) {
  const { db, clock, jobs } = deps
  return async (): Promise<void> => {
    const failed = await db.transaction(async (tx) => {
      if (!(await lock(tx))) return []
      const now = clock.now()
      const expired = await expireDue(tx, now)
      await dateCancelled(tx, now)
      const again = await removeEnded(deps, tx, now)
      for (const token of expired) await tellOwner(tx, deps.events, token.assignedUserId)
      for (const { id } of expired) {
        await deps.audit.record(tx, undefined, { action: 'token.expire', target: `token:${id}` })
      }
      return again
    })
    for (const jobId of failed) await jobs.retry(jobId)
  }
}

async function lock(tx: Db): Promise<boolean> {
  const taken = await tx.execute(sql`select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as held`)
  return (taken as unknown as { rows: { held: boolean }[] }).rows[0]?.held === true
}

const expireDue = (tx: Db, now: Date): Promise<TokenRow[]> =>
  tx
    .update(tokens)
    .set({ status: 'expired' })
    .where(and(eq(tokens.status, 'assigned'), lte(tokens.expiresAt, now)))
    .returning()

/** Tokens of a client who was deleted: their grace begins when we notice. */
const dateCancelled = (tx: Db, now: Date) =>
  tx
    .update(tokens)
    .set({ cancelledAt: now })
    .where(and(eq(tokens.status, 'cancelled'), isNull(tokens.cancelledAt)))

/** Returns the jobs to be tried again. */
async function removeEnded(deps: SweepDeps, tx: Db, now: Date): Promise<string[]> {
  const ended = await tx
    .select()
    .from(tokens)
    .where(
      and(inArray(tokens.status, ['expired', 'cancelled']), isNotNull(tokens.assignedInstanceId)),
    )
  if (ended.length === 0) return []
  const past = await pastJobs(tx, ended)
  const again: string[] = []
  const want = async (token: TokenRow, job: SweepDeps['stop'] | SweepDeps['end']) => {
    const since = keptUntil(token, 0)?.toISOString() ?? ''
    const same = past.filter(
      (row) => row.kind === job.kind && row.tokenId === String(token.id) && row.since === since,
    )
    const failed = same.find(({ state }) => state === 'failed')
    if (failed && same.length === 1 && !failed.isRecent) again.push(failed.id)
    if (same.length > 0) return
    const ownerId = token.assignedUserId
    const input = { tokenId: token.id, name: token.name, since }
    await deps.jobs.enqueue(tx, job, input, ownerId === null ? {} : { ownerId })
  }
  for (const token of ended) {
    const kept = keptUntil(token, deps.config.graceDays)
    await want(token, kept && kept <= now ? deps.end : deps.stop)
  }
  return again
}

function pastJobs(tx: Db, ended: readonly TokenRow[]): Promise<PastJob[]> {
  const tokenId = sql<string | null>`${jobsTable.input} ->> 'tokenId'`
  const ids = ended.map(({ id }) => String(id))
  return tx
    .select({
      id: jobsTable.id,
      kind: jobsTable.kind,
      state: jobsTable.state,
      tokenId,
      since: sql<string | null>`${jobsTable.input} ->> 'since'`,
      isRecent: sql<boolean>`${jobsTable.updatedAt} > now() - make_interval(mins => ${RETRY_MINUTES})`,
    })
    .from(jobsTable)
    .where(and(inArray(jobsTable.kind, ['stop', 'end']), inArray(tokenId, ids)))
}
