import { and, eq, inArray } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import { renewedUntil } from '#shared/rules/token/token-expiry.ts'
import { tokenState } from '#shared/rules/token/token-status.ts'
import type { Db } from '../db/database.ts'
import { orders } from '../db/schema/sales.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { moveTokens } from './move-token.ts'
import type { TokenRow } from './token-rows.ts'

/**
 * The new end of the token, for a renewal that is being ordered. Fails with the reason if it cannot
 * be renewed (T7), or not now.
 */
export async function renewalTerm(tx: Db, token: TokenRow, now: Date, periods = 1): Promise<Date> {
  const until = await endAfter(tx, token, now, periods)
  // What a term costs is settled when the change is done or undone.
  if (await isChanging(tx, token.id)) throw new AppError('INVALID_STATE', CHANGING)
  return until
}

async function endAfter(tx: Db, token: TokenRow, now: Date, periods: number): Promise<Date> {
  if (token.monthlyPriceCents === 0) {
    throw new AppError('INVALID_STATE', 'A free trial ends; it cannot be renewed.')
  }
  if (token.status !== 'assigned' && token.status !== 'expired') {
    throw new AppError('INVALID_STATE', tokenState(token.status))
  }
  const until = renewedUntil(token, now, periods)
  if (!until) {
    throw new AppError(
      'INVALID_STATE',
      periods === 1
        ? 'This server is already paid for two years ahead.'
        : 'A server can be paid for two years ahead at most. Choose fewer months.',
    )
  }
  const [instance] = await tx
    .select({ id: instances.id })
    .from(instances)
    .where(eq(instances.id, token.assignedInstanceId ?? 0))
  if (!instance) throw new AppError('VM_MISSING', 'The server no longer exists.')
  return until
}

export const CHANGING = 'The package of this server is being changed. Try again in some minutes.'

/** True while another package is being given to the server. */
export async function isChanging(tx: Db, tokenId: number): Promise<boolean> {
  const [order] = await tx
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        eq(orders.tokenId, tokenId),
        eq(orders.kind, 'change'),
        inArray(orders.status, ['pending', 'paid', 'provisioning']),
      ),
    )
    .limit(1)
  return order !== undefined
}

/**
 * One guarded update: if the token ended first, there is nothing left to renew. A package that is
 * changed meanwhile is no obstacle: what arrives now was ordered, and priced, before.
 */
export async function extendToken(
  tx: Db,
  token: TokenRow,
  now: Date,
  periods: number,
): Promise<Date> {
  const until = await endAfter(tx, token, now, periods)
  const [row] = await moveTokens(tx, eq(tokens.id, token.id), {
    to: 'assigned',
    from: [token.status],
    values: { expiresAt: until },
  })
  if (!row) throw notFound('Token')
  return until
}
