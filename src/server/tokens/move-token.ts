import { and, inArray, type SQL } from 'drizzle-orm'
import type { TokenStatus } from '#shared/api/shop/tokens.ts'
import { statesBefore } from '#shared/rules/token/token-status.ts'
import type { Db } from '../db/database.ts'
import { tokens } from '../db/schema/stock.ts'
import type { TokenRow } from './token-rows.ts'

type Move = Target & {
  /** Only tokens in one of these states; by default every state that may become `to`. */
  from?: readonly TokenStatus[]
  values?: Partial<Omit<TokenRow, 'id' | 'status' | 'cancelledAt'>>
}

/** The cancellation time: the grace period counts from it. */
type Target = { to: 'cancelled'; now: Date } | { to: LiveStatus }
export type LiveStatus = Exclude<TokenStatus, 'cancelled'>

/**
 * The only function that writes a token's status. Moves the tokens that `which` selects and that
 * may become `to` (T2), and returns the updated rows. A move that loses a race selects nothing.
 * A server that is given up is no longer renewed.
 */
export const moveTokens = (
  tx: Db,
  which: SQL | undefined,
  { from, values = {}, ...target }: Move,
): Promise<TokenRow[]> => {
  const { to } = target
  const before = statesBefore(to).filter((status) => from?.includes(status) ?? true)
  const cancelledAt = target.to === 'cancelled' ? target.now : null
  return tx
    .update(tokens)
    .set({ ...values, status: to, cancelledAt, ...(to === 'cancelled' && { autoRenew: false }) })
    .where(and(which, inArray(tokens.status, before)))
    .returning()
}
