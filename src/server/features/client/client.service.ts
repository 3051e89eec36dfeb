import { and, asc, desc, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { WithCoupon } from '#shared/api/money/coupons.ts'
import type { Renewing } from '#shared/api/money/payment-methods.ts'
import type { TakeOver as TakeOverBody } from '#shared/api/overview/client.ts'
import { Job } from '#shared/api/overview/dashboard.ts'
import { keptUntil } from '#shared/rules/token/token-expiry.ts'
import { HELD } from '#shared/rules/token/token-status.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs as jobsTable } from '../../db/schema/work.ts'
import { instanceRows } from '../../inventory/views/instance-rows.ts'
import { toInstance } from '../../inventory/views/live-instances.ts'
import { suspensionOf } from '../../inventory/views/suspended.ts'
import { tokenSubject } from '../../jobs/job-definition.ts'
import { errorFor } from '../../jobs/job-store.ts'
import { createCodeGate } from '../../limits/code-gate.ts'
import type { Limiters } from '../../limits/limiters.ts'
import { toClientOrder } from '../../orders/orders.ts'
import type { TakeOver } from '../../provisioning/handover/take-over.ts'
import type { createRenewals } from '../../provisioning/renewals.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Actor, reachesServer } from '../../sessions/actor.ts'
import { DELIVERED, openPassword, toOwnToken } from '../../tokens/token-rows.ts'

type ClientDeps = Pick<Deps, 'db' | 'keyring' | 'hypervisors' | 'clock' | 'config'> & {
  renewals: ReturnType<typeof createRenewals>
  takeOver: TakeOver
  limiters: Limiters
}
type JobView = Omit<z.input<typeof Job>, 'ownerId' | 'isStuck'>

/**
 * What a client has. Ownership is part of every query: another client's is not found (I3). An admin
 * who simulates the client does not see the client's secrets (F7).
 */
export function clientService(deps: ClientDeps) {
  const { db, keyring, hypervisors, clock, config, renewals, takeOver } = deps
  const gate = createCodeGate(deps.limiters, { name: 'transfer' })
  // Every client page runs these two all the time: their SQL is built once.
  const userId = sql.placeholder('userId')
  const held = db
    .select({
      row: tokens,
      label: instances.label,
      suspendedAt: instances.suspendedAt,
      suspendReason: instances.suspendReason,
    })
    .from(tokens)
    .leftJoin(instances, eq(instances.id, tokens.assignedInstanceId))
    .where(and(eq(tokens.assignedUserId, userId), inArray(tokens.status, HELD)))
    .orderBy(asc(tokens.id))
    .prepare('held_tokens')
  const lastJobs = db
    .selectDistinctOn([jobsTable.subject])
    .from(jobsTable)
    .where(and(eq(jobsTable.ownerId, userId), isNotNull(jobsTable.subject)))
    .orderBy(jobsTable.subject, desc(jobsTable.createdAt))
    .prepare('last_jobs')

  /** The last job of each subject, unless it succeeded. */
  const jobsOf = async (user: { id: number }): Promise<Map<string | null, JobView>> => {
    const rows = await lastJobs.execute({ userId: user.id })
    const open = rows.filter(({ state }) => state !== 'done')
    return new Map(open.map((job) => [job.subject, toJob(job)]))
  }

  return {
    async tokens(actor: Actor) {
      const rows = await held.execute({ userId: actor.user.id })
      const jobs = await jobsOf(actor.user)
      return rows.map(({ row, label, ...suspension }) => ({
        ...toOwnToken(row, keyring),
        label: label ?? row.name,
        autoRenew: row.autoRenew,
        suspended: suspensionOf(suspension),
        ...(isHidden(actor) && { password: '' }),
        job: jobs.get(tokenSubject(row.id)) ?? null,
        keptUntil: keptUntilOf(row),
      }))
    },

    async instances(actor: Actor) {
      const rows = await instanceRows(db, eq(instances.ownerId, actor.user.id))
      const passwords = await passwordsOf(actor.user)
      // A cancelled server is kept for a while, but is no longer the client's.
      const kept = rows.filter(
        ({ id, token }) => token?.status !== 'cancelled' && reachesServer(actor, id),
      )
      return kept.map((row) => {
        const { token, ...instance } = toInstance(row, { hypervisors, clock })
        const password = row.tokenId === null ? undefined : passwords.get(row.tokenId)
        const shown = isHidden(actor) ? '' : password
        return {
          ...instance,
          token: token && shown !== undefined ? { ...token, password: shown } : null,
        }
      })
    },

    async renew(actor: Actor, id: number, paying: Renewing & WithCoupon) {
      const { order, checkoutUrl } = await renewals.renew(actor, id, paying)
      return { order: toClientOrder(order), checkoutUrl }
    },

    cancel: (actor: Actor, id: number) => renewals.cancel(actor, id),

    takeOver: (actor: Actor, code: string, wishes: z.output<typeof TakeOverBody>) =>
      gate.pass(actor.user.id, () => takeOver(actor, code, wishes)),
  }

  /** Only a server that ended has a date until which it is kept. */
  function keptUntilOf(row: typeof tokens.$inferSelect): string | null {
    if (row.status !== 'expired' && row.status !== 'cancelled') return null
    return keptUntil(row, config.graceDays)?.toISOString() ?? null
  }

  async function passwordsOf(user: { id: number }): Promise<Map<number, string>> {
    const rows = await db
      .select({ id: tokens.id, tokenId: tokens.tokenId, password: tokens.password })
      .from(tokens)
      .where(and(eq(tokens.assignedUserId, user.id), inArray(tokens.status, DELIVERED)))
    return new Map(rows.map((row) => [row.id, openPassword(keyring, row)]))
  }
}

const toJob = (row: typeof jobsTable.$inferSelect): JobView => ({
  id: row.id,
  kind: row.kind,
  title: row.title,
  state: Job.shape.state.parse(row.state),
  step: row.step,
  progress: row.progress,
  error: errorFor('client', row),
  startedAt: row.createdAt,
})

/** Logins are for the client in person: neither for a simulation nor for a key. */
const isHidden = ({ admin, key }: Actor): boolean => admin !== undefined || key !== undefined
