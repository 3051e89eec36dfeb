import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { heldIn } from '../../ledger/ledger.ts'
import { accountOf, moveOrder, type OrderRow } from '../../orders/orders.ts'
import { hasLostDispute } from '../../payments/disputes.ts'
import type { TakenBack } from '../../payments/settlement.ts'
import type { Deps } from '../../runtime/deps.ts'
import { handedOverBy } from '../../tokens/handover-rows.ts'
import { DELIVERED, type TokenRow } from '../../tokens/token-rows.ts'
import { takeTermBack } from '../../tokens/token-term.ts'
import type { Suspensions } from './suspension.ts'

type TakenBackDeps = Pick<Deps, 'clock'> & { suspensions: Suspensions }

export function createTakenBack({ clock, suspensions }: TakenBackDeps): TakenBack {
  /** The server that the order paid for, also once its payer has handed it over. */
  const serverOf = async (tx: Db, { tokenId, userId, createdAt }: OrderRow) => {
    if (tokenId === null || userId === null) return undefined
    const [token] = await tx
      .select()
      .from(tokens)
      .where(and(eq(tokens.id, tokenId), inArray(tokens.status, DELIVERED)))
      .for('update')
    if (!token || token.assignedUserId === userId) return token
    const isFollowed = await handedOverBy(tx, userId, { tokenId, since: createdAt })
    return isFollowed ? token : undefined
  }

  const instanceOf = async (tx: Db, token: TokenRow) => {
    const [row] = await tx
      .select({ id: instances.id })
      .from(instances)
      .where(eq(instances.id, token.assignedInstanceId ?? 0))
    const { id: tokenId, name, assignedUserId: ownerId } = token
    return row && { instanceId: row.id, tokenId, name, ownerId }
  }

  /** The whole payment was taken back, so an undelivered order ends. */
  const endUndelivered = async (tx: Db, order: OrderRow): Promise<boolean> => {
    if (order.status !== 'paid' && order.status !== 'provisioning') return false
    if ((await heldIn(tx, 'held', order.id)) > 0) return false
    await moveOrder(tx, order, { to: 'cancelled', now: clock.now() })
    return true
  }

  return {
    async refunded(tx: Db, order: OrderRow): Promise<void> {
      if (await endUndelivered(tx, order)) return
      if (order.status !== 'active' || (await heldIn(tx, accountOf(order), order.id)) > 0) return
      const now = clock.now()
      await moveOrder(tx, order, { to: 'cancelled', now })
      const token = await serverOf(tx, order)
      if (token) await takeTermBack(tx, token, order, now)
    },

    async lost(tx: Db, order: OrderRow): Promise<void> {
      if (await endUndelivered(tx, order)) return
      const token = order.status === 'active' ? await serverOf(tx, order) : undefined
      const which = token && (await instanceOf(tx, token))
      if (!which) return
      const reason =
        which.ownerId === order.userId
          ? `Your bank took back the payment for order ${order.id}.`
          : 'The payment of its former owner was taken back.'
      await suspensions.suspend(tx, which, { reason, cause: 'dispute' })
    },

    async won(tx: Db, order: OrderRow): Promise<void> {
      const token = await serverOf(tx, order)
      if (!token || (await hasLostDispute(tx, token.id))) return
      const which = await instanceOf(tx, token)
      if (which) await suspensions.resume(tx, which, 'dispute')
    },
  }
}
