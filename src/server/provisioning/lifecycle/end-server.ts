import { and, eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { isStaffRole } from '#shared/rules/people/roles.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import type { JoinedInstance } from '../../inventory/views/instance-rows.ts'
import { lockCredit } from '../../ledger/credit.ts'
import { heldIn } from '../../ledger/ledger.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { paymentsOf } from '../../payments/payment-rows.ts'
import {
  type RefundDeps,
  type RefundTo,
  refundOrder,
  returnable,
} from '../../payments/refund-order.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { DELIVERED, type TokenRow } from '../../tokens/token-rows.ts'
import { takeTermBack } from '../../tokens/token-term.ts'
import { type EndTokenDeps, endToken, releaseOpenRenewals } from './end-token.ts'

type EndingDeps = Pick<Deps, 'db' | 'events'> & EndTokenDeps & RefundDeps & { audit: Audit }

export type Endings = ReturnType<typeof createEndings>

/** Ends a client's server, for an operator or for its owner. */
export function createEndings(deps: EndingDeps) {
  const { db, clock, events, audit } = deps

  /**
   * Locks credit, orders and token, in the same order as every transaction that handles payments.
   */
  const hold = async (tx: Db, instance: JoinedInstance) => {
    const before = await tokenOf(tx, instance)
    const userId = before.assignedUserId ?? 0
    await lockCredit(tx, userId)
    const isTheirs = and(eq(orders.tokenId, before.id), eq(orders.userId, userId))
    const theirs = await tx.select().from(orders).where(isTheirs).orderBy(orders.id).for('update')
    const [token] = await tx.select().from(tokens).where(eq(tokens.id, before.id)).for('update')
    if (token?.assignedUserId !== userId) throw ended()
    return { token, theirs }
  }

  /** Not delivered yet: cancels its order, and the provisioning job undoes itself. */
  const stopMaking = async (tx: Db, theirs: readonly OrderRow[], refund: RefundTo) => {
    const order = theirs.findLast(({ status }) => status === 'provisioning')
    if (!order?.jobId)
      throw new AppError('INVALID_STATE', 'This server is waiting for its payment.')
    if (refund === 'none' && order.amountCents > 0) {
      throw new AppError('INVALID_STATE', 'It was not delivered yet: choose where its money goes.')
    }
    const { cents } = await refundOrder(tx, order, refund === 'none' ? 'credit' : refund, deps)
    return { jobId: order.jobId, cents }
  }

  const endDelivered = async (
    tx: Db,
    { token, theirs }: { token: TokenRow; theirs: readonly OrderRow[] },
    refund: RefundTo,
  ) => {
    await releaseOpenRenewals(tx, token.id, clock.now())
    const running = currentTerms(theirs, token, clock.now())
    const paid = refund === 'none' ? [] : running
    let rest = token
    let cents = 0
    for (const order of paid) {
      const isSendable = refund === 'provider' && (await canSendBack(tx, [order], deps))
      const to = refund === 'provider' && !isSendable ? 'credit' : refund
      const back = await refundOrder(tx, order, to, deps)
      cents += back.cents
      const hasTerm = order.kind !== 'change'
      if (hasTerm && back.cents > 0) rest = await takeTermBack(tx, rest, order, clock.now())
    }
    return { jobId: await endToken(tx, rest, deps), cents }
  }

  return {
    /** The effects of ending it, for the confirmation dialog. */
    async preview(instance: JoinedInstance) {
      const token = await tokenOf(db, instance)
      const theirs = await db
        .select()
        .from(orders)
        .where(and(eq(orders.tokenId, token.id), eq(orders.userId, token.assignedUserId ?? 0)))
        .orderBy(orders.id)
      const isComing = token.status === 'pending'
      const running = isComing
        ? theirs.filter(({ status }) => status === 'provisioning')
        : currentTerms(theirs, token, clock.now())
      let cents = 0
      for (const { id } of running) cents += await heldIn(db, isComing ? 'held' : 'earned', id)
      return { token, isComing, cents, byProvider: await canSendBack(db, running, deps) }
    },

    /**
     * Runs in one transaction, checks included; a repeated request with the same key skips all of
     * it.
     */
    end: (
      actor: Actor,
      find: (tx: Db) => Promise<JoinedInstance>,
      refund: RefundTo,
    ): Promise<string> =>
      db.transaction(async (tx) => {
        const instance = await find(tx)
        const held = await hold(tx, instance)
        const { token } = held
        const isOperator = isStaffRole(actor.user.role)
        if (token.status === 'pending' && !isOperator) {
          throw new AppError('INVALID_STATE', 'Your server is still being created. Try again then.')
        }
        if (token.status !== 'pending' && !DELIVERED.includes(token.status)) throw ended()
        if (refund === 'provider') await requireSendable(tx, held, deps)
        const { jobId, cents } =
          token.status === 'pending'
            ? await stopMaking(tx, held.theirs, refund)
            : await endDelivered(tx, held, refund)
        await publishTokenChange(tx, events, token.assignedUserId)
        await audit.record(tx, actor, {
          action: 'token.cancel',
          target: `token:${token.id}`,
          details: { instanceId: instance.id, refund, cents },
        })
        return jobId
      }),
  }
}

const ended = () => new AppError('INVALID_STATE', 'This server has already ended.')

/**
 * The token through which a client has the server. Without one it fails and names the call to use.
 */
async function tokenOf(tx: Db, { id, tokenId }: JoinedInstance): Promise<TokenRow> {
  const [token] = await tx
    .select()
    .from(tokens)
    .where(eq(tokens.id, tokenId ?? 0))
  if (!token) {
    const call = `DELETE /api/instances/${id}`
    throw new AppError('INVALID_STATE', `No client has this VM. Delete the instance: ${call}.`)
  }
  if (token.status === 'cancelled') throw ended()
  if (token.assignedUserId === null) {
    const call = `DELETE /api/tokens/${token.id}`
    throw new AppError('INVALID_STATE', `This VM is for sale. Delete its token: ${call}.`)
  }
  return token
}

/**
 * The orders whose term is not over, newest first: each paid for one term, and the last one ends
 * with the token. Terms that are over are earned.
 */
function currentTerms(
  oldestFirst: readonly OrderRow[],
  token: Pick<TokenRow, 'expiresAt' | 'durationDays'>,
  now: Date,
): OrderRow[] {
  const active = oldestFirst.filter(({ status }) => status === 'active').toReversed()
  let end = token.expiresAt?.getTime() ?? 0
  return active.filter(({ kind, months, nextBillingAt }) => {
    // A change pays for the rest of terms that other orders paid for.
    if (kind === 'change') return nextBillingAt !== null && nextBillingAt > now
    const isRunning = end > now.getTime()
    end -= months * token.durationDays * DAY_MS
    return isRunning
  })
}

async function canSendBack(tx: Db, of: readonly OrderRow[], deps: RefundDeps): Promise<boolean> {
  const ids = of.map(({ id }) => id)
  return (
    ids.length > 0 && returnable(await paymentsOf(tx, ids), await deps.providers.now(tx)).length > 0
  )
}

async function requireSendable(
  tx: Db,
  { token, theirs }: { token: TokenRow; theirs: readonly OrderRow[] },
  deps: EndingDeps,
): Promise<void> {
  const current =
    token.status === 'pending'
      ? theirs.filter(({ status }) => status === 'provisioning')
      : currentTerms(theirs, token, deps.clock.now())
  if (await canSendBack(tx, current, deps)) return
  throw new AppError('INVALID_STATE', 'The payment provider cannot send it back. Choose credit.')
}
