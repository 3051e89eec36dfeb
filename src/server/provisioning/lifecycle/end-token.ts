import { and, eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { keptUntil } from '#shared/rules/token/token-expiry.ts'
import { tokenState } from '#shared/rules/token/token-status.ts'
import type { Db } from '../../db/database.ts'
import { orders } from '../../db/schema/sales.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { releaseOrder } from '../../orders/release.ts'
import type { Deps } from '../../runtime/deps.ts'
import { moveTokens } from '../../tokens/move-token.ts'
import { DELIVERED, type TokenRow } from '../../tokens/token-rows.ts'
import type { stopJob } from './lifecycle-jobs.ts'

export type EndTokenDeps = Pick<Deps, 'clock' | 'jobs'> & { stop: ReturnType<typeof stopJob> }

/**
 * The only way a client's server ends: cancels its token and stops its VM now, keeps the VM for the
 * grace period and then removes it. The caller must hold the token's lock. Returns the job that
 * stops the VM.
 */
export async function endToken(
  tx: Db,
  token: TokenRow,
  { clock, jobs, stop }: EndTokenDeps,
): Promise<string> {
  const cancelledAt = clock.now()
  const [row] = await moveTokens(tx, eq(tokens.id, token.id), {
    to: 'cancelled',
    from: DELIVERED,
    now: cancelledAt,
  })
  if (!row) throw new AppError('INVALID_STATE', endRefusal(token))
  // Its successor may have the name at once, not only after the grace period.
  await tx.update(instances).set({ hostname: null }).where(eq(instances.tokenId, row.id))
  const since = (keptUntil(row, 0) ?? cancelledAt).toISOString()
  const owner = row.assignedUserId === null ? {} : { ownerId: row.assignedUserId }
  return await jobs.enqueue(tx, stop, { tokenId: row.id, name: row.name, since }, owner)
}

const endRefusal = (token: TokenRow): string =>
  token.status === 'cancelled' ? 'This server has already ended.' : tokenState(token.status)

/**
 * Releases unpaid renewals together with their server: a payment that arrives later becomes credit
 * (O4). Locks the order, so it must run before the token is locked.
 */
export async function releaseOpenRenewals(
  tx: Db,
  tokenId: number,
  now: Date,
  userId?: number,
): Promise<void> {
  const isOpen = and(
    eq(orders.tokenId, tokenId),
    userId === undefined ? undefined : eq(orders.userId, userId),
    eq(orders.kind, 'renewal'),
    eq(orders.status, 'pending'),
  )
  const open = await tx.select().from(orders).where(isOpen).orderBy(orders.id).for('update')
  for (const order of open) await releaseOrder(tx, order, { now })
}
