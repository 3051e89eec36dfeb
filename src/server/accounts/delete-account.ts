import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { HELD } from '#shared/rules/token/token-status.ts'
import type { Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'
import { firewalls } from '../db/schema/firewalls.ts'
import { orders } from '../db/schema/sales.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { events, jobs } from '../db/schema/work.ts'
import { forgetRules } from '../firewalls/forget-rules.ts'
import type { Clock } from '../lib/clock.ts'
import { releaseOrder } from '../orders/release.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { moveTokens } from '../tokens/move-token.ts'

/** Replaces the client's id in the input of a job. No account has it. */
export const NOBODY = 0

type Parts = { sessions: Sessions; clock: Clock }

/**
 * Deletes a client and every link from the account to what it bought. Servers are cancelled: the
 * sweep stops them and removes them after the grace period (T14). Foreign keys clear the columns;
 * what they cannot reach is cleared here. The caller must hold the account's lock.
 */
export async function deleteAccount(
  tx: Db,
  { id }: { id: number },
  { sessions, clock }: Parts,
): Promise<{ cancelledTokens: number[] }> {
  const now = clock.now()
  // Undelivered orders are released: stock goes back on sale, and the money stays in the ledger,
  // unclaimed.
  const open = await tx
    .select()
    .from(orders)
    .where(and(eq(orders.userId, id), inArray(orders.status, ['pending', 'paid'])))
    .orderBy(asc(orders.id))
    .for('update')
  for (const order of open) await releaseOrder(tx, order, { now })
  const cancelled = await moveTokens(tx, eq(tokens.assignedUserId, id), {
    to: 'cancelled',
    from: HELD,
    now,
  })
  await tx
    .update(orders)
    .set({ providerCustomerId: null, network: null, setup: null })
    .where(eq(orders.userId, id))
  // Names a person gave; the foreign key clears the owner.
  const own = tx.select({ id: instances.id }).from(instances).where(eq(instances.ownerId, id))
  await forgetRules(tx, inArray(firewalls.instanceId, own))
  await tx.update(instances).set({ label: null, hostname: null }).where(eq(instances.ownerId, id))
  await tx
    .update(jobs)
    .set({ input: sql`jsonb_set(${jobs.input}, '{userId}', ${String(NOBODY)}::jsonb)` })
    .where(sql`${jobs.input} ->> 'userId' = ${String(id)}`)
  // The user data of a reinstallation that still runs.
  await tx
    .update(jobs)
    .set({ input: sql`${jobs.input} - 'userData'` })
    .where(and(eq(jobs.ownerId, id), sql`jsonb_exists(${jobs.input}, 'userData')`))
  await tx.delete(events).where(eq(events.audience, `user:${id}`))
  await sessions.endAllOf(tx, id)
  await tx.delete(users).where(eq(users.id, id))
  return { cancelledTokens: cancelled.map((token) => token.id) }
}
