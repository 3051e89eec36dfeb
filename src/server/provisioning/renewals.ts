import { and, eq, inArray } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import { renewedUntil } from '#shared/rules/token-expiry.ts'
import { tokenState } from '#shared/rules/token-status.ts'
import type { Db } from '../db/database.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import type { Actor } from '../sessions/actor.ts'
import type { startJob, stopJob } from './lifecycle-jobs.ts'
import { moveOrder, type OrderRow } from './orders.ts'
import { tellOwner } from './provision-world.ts'
import { pay, placeOrder, type SalesDeps } from './sales.ts'
import { statusOf, type TokenRow } from './token-rows.ts'

export type RenewalDeps = SalesDeps & {
  stop: ReturnType<typeof stopJob>
  start: ReturnType<typeof startJob>
}

/** What an owner does with a server it has: keep it longer, or give it up. */
export function createRenewals(deps: RenewalDeps) {
  const { db, clock, events, audit, jobs } = deps

  const own = async (tx: Db, actor: Actor, id: number): Promise<TokenRow> => {
    const [row] = await tx
      .select()
      .from(tokens)
      .where(and(eq(tokens.id, id), eq(tokens.assignedUserId, actor.user.id)))
      .for('update')
    if (!row || row.status === 'cancelled') throw notFound('Token')
    return row
  }

  return {
    /** Paid like a purchase, at once in force; in grace the server starts again (T7). */
    renew: (actor: Actor, id: number): Promise<OrderRow> =>
      db.transaction(async (tx) => {
        const token = await own(tx, actor, id)
        const until = await extend(tx, token, clock.now())
        const order = await payRenewal(tx, token, actor, until, deps)
        if (token.status === 'expired') {
          const input = { tokenId: id, name: token.name }
          await jobs.enqueue(tx, deps.start, input, { ownerId: actor.user.id })
        }
        await tellOwner(tx, events, actor.user.id)
        const target = `token:${id}`
        await audit.record(tx, actor, { action: 'token.renew', target, details: { until } })
        return order
      }),

    /** Stopped now, kept for the grace period, then removed like one that expired (T14). */
    cancel: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        const token = await own(tx, actor, id)
        const cancelledAt = clock.now()
        const [row] = await tx
          .update(tokens)
          .set({ status: 'cancelled', cancelledAt })
          .where(and(eq(tokens.id, id), inArray(tokens.status, ['assigned', 'expired'])))
          .returning()
        if (!row) throw refused(token)
        if (token.status === 'assigned') {
          const input = { tokenId: id, name: token.name, since: cancelledAt.toISOString() }
          await jobs.enqueue(tx, deps.stop, input, { ownerId: actor.user.id })
        }
        await tellOwner(tx, events, actor.user.id)
        await audit.record(tx, actor, { action: 'token.cancel', target: `token:${id}` })
      }),
  }
}

const refused = (token: TokenRow) => new AppError('INVALID_STATE', tokenState(statusOf(token)))

/** One guarded update: if the end came first, there is nothing left to renew. */
async function extend(tx: Db, token: TokenRow, now: Date): Promise<Date> {
  if (token.monthlyPriceCents === 0) {
    throw new AppError('INVALID_STATE', 'A free trial ends; it cannot be renewed.')
  }
  if (token.status !== 'assigned' && token.status !== 'expired') throw refused(token)
  const until = renewedUntil(token, now)
  if (!until) {
    throw new AppError('INVALID_STATE', 'This token is already paid for two years ahead.')
  }
  const instance = await existing(tx, token)
  if (!instance) throw new AppError('VM_MISSING', 'The server no longer exists.')
  const [row] = await tx
    .update(tokens)
    .set({ status: 'assigned', expiresAt: until })
    .where(and(eq(tokens.id, token.id), eq(tokens.status, token.status)))
    .returning()
  if (!row) throw notFound('Token')
  return until
}

async function existing(tx: Db, { assignedInstanceId }: TokenRow) {
  const [row] = await tx
    .select()
    .from(instances)
    .where(eq(instances.id, assignedInstanceId ?? 0))
  return row
}

async function payRenewal(
  tx: Db,
  token: TokenRow,
  actor: Actor,
  until: Date,
  deps: RenewalDeps,
): Promise<OrderRow> {
  const now = deps.clock.now()
  const { name, monthlyPriceCents: amountCents } = token
  const sale = { token, userId: actor.user.id, kind: 'renewal', name, amountCents } as const
  const order = await placeOrder(tx, sale, now)
  await pay(tx, order, deps)
  const values = { assignedVmId: token.proxmoxVmId, nextBillingAt: until }
  return moveOrder(tx, order.id, { to: 'active', now, values })
}
