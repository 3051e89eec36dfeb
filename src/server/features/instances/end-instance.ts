import { and, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { InstanceEnd } from '#shared/api/servers/instances.ts'
import { AppError } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { keptUntil } from '#shared/rules/token/token-expiry.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { instanceFor, type JoinedInstance } from '../../inventory/views/instance-rows.ts'
import { nameToType, requireTyped } from '../../inventory/views/typed-name.ts'
import type { Endings } from '../../provisioning/lifecycle/end-server.ts'
import type { Suspensions } from '../../provisioning/lifecycle/suspension.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { DELIVERED } from '../../tokens/token-rows.ts'

export type EndInstanceDeps = Pick<Deps, 'db' | 'clock' | 'events'> & {
  audit: Audit
  config: Pick<Config, 'graceDays'>
  endings: Endings
  suspensions: Suspensions
}

/** Ends, suspends and resumes one server. */
export function endInstance(deps: EndInstanceDeps) {
  const { db, clock, events, audit, config, endings, suspensions } = deps

  const change = (
    actor: Actor,
    id: number,
    entry: { action: string; details?: Record<string, unknown> },
    work: (tx: Db, which: Awaited<ReturnType<typeof serverOf>>) => Promise<string | undefined>,
  ): Promise<{ jobId: string }> =>
    db.transaction(async (tx) => {
      const which = await serverOf(tx, await instanceFor(tx, actor, id))
      const jobId = await work(tx, which)
      if (jobId === undefined) throw notNow(entry.action)
      await publishTokenChange(tx, events, which.ownerId)
      await audit.record(tx, actor, { ...entry, target: `instance:${id}` })
      return { jobId }
    })

  return {
    async preview(actor: Actor, id: number) {
      const row = await instanceFor(db, actor, id)
      const { token, isComing, cents, byProvider } = await endings.preview(row)
      const kept = keptUntil({ ...token, cancelledAt: clock.now() }, config.graceDays)
      return {
        name: row.name,
        vmId: row.vmId,
        cluster: isAdmin(actor) ? await clusterName(db, row) : null,
        clientName: await clientName(db, token.assignedUserId),
        paidUntil: token.expiresAt,
        keptUntil: isComing
          ? null
          : (kept ?? new Date(clock.now().getTime() + config.graceDays * DAY_MS)),
        isComing,
        refundable: { amount: decimal(cents), byProvider },
        confirm: nameToType(row),
      }
    },

    /** The caller has typed the label, the name or the VM id, so that a slip does not end a server. */
    async end(actor: Actor, id: number, { refund, confirm }: z.output<typeof InstanceEnd>) {
      const named = async (tx: Db) => {
        const row = await instanceFor(tx, actor, id)
        requireTyped(row, confirm)
        if (refund !== 'none' && !isAdmin(actor)) {
          throw new AppError('FORBIDDEN', 'Only an operator can give money back.')
        }
        return row
      }
      return { jobId: await endings.end(actor, named, refund) }
    },

    suspend: (actor: Actor, id: number, reason: string) =>
      change(actor, id, { action: 'instance.suspend', details: { reason } }, (tx, which) =>
        suspensions.suspend(tx, which, { reason, cause: 'operator' }),
      ),

    resume: (actor: Actor, id: number) =>
      change(actor, id, { action: 'instance.resume' }, (tx, which) =>
        suspensions.resume(tx, which),
      ),
  }
}

const notNow = (action: string) =>
  new AppError(
    'INVALID_STATE',
    action === 'instance.suspend'
      ? 'This server is already suspended.'
      : 'This server is not suspended.',
  )

/** A server that a client has; only such a server can be suspended. */
async function serverOf(tx: Db, row: JoinedInstance) {
  const [token] = await tx
    .select()
    .from(tokens)
    .where(and(eq(tokens.id, row.tokenId ?? 0), eq(tokens.assignedInstanceId, row.id)))
    .for('update')
  if (!token || token.assignedUserId === null || !DELIVERED.includes(token.status)) {
    throw new AppError('INVALID_STATE', 'Only a server that a client has can be suspended.')
  }
  const { id: tokenId, name, assignedUserId: ownerId } = token
  return { instanceId: row.id, tokenId, name, ownerId }
}

async function clusterName(db: Db, { id }: JoinedInstance): Promise<string | null> {
  const [row] = await db
    .select({ name: clusters.name })
    .from(instances)
    .innerJoin(clusters, eq(clusters.id, instances.clusterId))
    .where(eq(instances.id, id))
  return row?.name ?? null
}

async function clientName(db: Db, userId: number | null): Promise<string | null> {
  const [row] = await db
    .select()
    .from(users)
    .where(eq(users.id, userId ?? 0))
  return row ? userName(row) : null
}
