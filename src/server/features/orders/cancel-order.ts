import { and, eq, inArray } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../../db/database.ts'
import { tokens } from '../../db/schema/stock.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { type RefundDeps, type RefundTo, refundOrder } from '../../payments/refund-order.ts'
import {
  type EndTokenDeps,
  endToken,
  releaseOpenRenewals,
} from '../../provisioning/lifecycle/end-token.ts'
import { handedOverBy } from '../../tokens/handover-rows.ts'
import { DELIVERED } from '../../tokens/token-rows.ts'
import { takeTermBack } from '../../tokens/token-term.ts'

type CancelDeps = RefundDeps & EndTokenDeps

const ENDS_BY_ITSELF =
  'A change of a package cannot be cancelled: if it cannot be done, its money becomes credit by itself.'

/**
 * Ends an order for an operator. A renewal takes its term back; any other order ends its server.
 * Returns the amount refunded.
 */
export async function cancelOrder(
  tx: Db,
  order: OrderRow,
  refund: RefundTo,
  deps: CancelDeps,
): Promise<Cents> {
  if (order.kind === 'change') throw new AppError('INVALID_STATE', ENDS_BY_ITSELF)
  const { cents } = await refundOrder(tx, order, refund, deps)
  if (order.status === 'active') await endServer(tx, order, cents, deps)
  return cents
}

async function endServer(tx: Db, order: OrderRow, cents: Cents, deps: CancelDeps): Promise<void> {
  const { tokenId, userId, kind } = order
  if (tokenId === null || userId === null) return
  const now = deps.clock.now()
  if (kind !== 'renewal') await releaseOpenRenewals(tx, tokenId, now, userId)
  const isIt = and(eq(tokens.id, tokenId), inArray(tokens.status, DELIVERED))
  const [token] = await tx.select().from(tokens).where(isIt).for('update')
  const isTheirs = token?.assignedUserId === userId
  const since = order.createdAt
  if (!token || !(isTheirs || (await handedOverBy(tx, userId, { tokenId, since })))) return
  // A refund takes back the time it paid for: a restored server must be paid again.
  const rest = kind === 'renewal' || cents > 0 ? await takeTermBack(tx, token, order, now) : token
  // One that was handed over is another client's: it ends when its time does.
  if (kind !== 'renewal' && isTheirs) await endToken(tx, rest, deps)
}
