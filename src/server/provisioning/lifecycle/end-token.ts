import { and, eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { keptUntil } from '#shared/rules/token/token-expiry.ts'
import { tokenState } from '#shared/rules/token/token-status.ts'
import type { Db } from '../../db/database.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { releaseOrder } from '../../orders/release.ts'
import type { Deps } from '../../runtime/deps.ts'
import { moveTokens } from '../../tokens/move-token.ts'
import { DELIVERED, type TokenRow } from '../../tokens/token-rows.ts'
import type { stopJob } from './lifecycle-jobs.ts'

export type EndTokenDeps = Pick<Deps, 'clock' | 'jobs'> & { stop: ReturnType<typeof stopJob> }

/**
 * The one way a client's server ends: its token is cancelled, its VM stopped now, kept for the grace
 * period and then removed. The caller holds the token. Returns the job that stops it.
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
  const since = (keptUntil(row, 0) ?? cancelledAt).toISOString()
  const owner = row.assignedUserId === null ? {} : { ownerId: row.assignedUserId }
  return await jobs.enqueue(tx, stop, { tokenId: row.id, name: row.name, since }, owner)
}

const endRefusal = (token: TokenRow): string =>
  token.status === 'cancelled' ? 'This server has already ended.' : tokenState(token.status)

/**
 * A renewal nobody has paid yet is given up with its server: what is paid for it later becomes
 * credit (O4). Locks the order, so it comes before the lock of the token.
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
