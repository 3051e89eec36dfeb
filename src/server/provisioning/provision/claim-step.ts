import { and, eq, inArray, isNull, ne, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { giveIpv6 } from '../../addresses/give-ipv6.ts'
import type { Db } from '../../db/database.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import type { Step } from '../../jobs/job-definition.ts'
import { COULD_NOT, publicTextOf } from '../../jobs/public-failure.ts'
import { lockOrder, moveOrder } from '../../orders/orders.ts'
import { retire, returnToStock } from '../../orders/release.ts'
import { hasKeys } from '../../orders/server-setup.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { freshPassword } from '../../tokens/fresh-password.ts'
import { moveTokens } from '../../tokens/move-token.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import type { ProvisionContext, ProvisionInput } from './provision-state.ts'

/**
 * The one conditional update that decides which client gets a token (T3). Undefined if another
 * client did. With it the token gets its IPv6 address.
 */
export async function claimToken(
  tx: Db,
  which: SQL | undefined,
  { userId, now }: { userId: number; now: Date },
): Promise<TokenRow | undefined> {
  const isFree = and(which, isNull(tokens.assignedUserId))
  const values = { assignedUserId: userId }
  const [row] = await moveTokens(tx, isFree, { to: 'pending', values })
  return row && (await giveIpv6(tx, row, now))
}

/**
 * The sale has already claimed the token; a retried job claims it again. An order being provisioned
 * by this job proves that the claim is ours.
 */
export function claimStep(deps: JobDeps): Step<ProvisionInput> {
  const { db, clock, events, audit } = deps

  const run = ({ jobId, input }: ProvisionContext) =>
    db.transaction(async (tx) => {
      const order = await lockOrder(tx, input.orderId)
      if (order.status === 'provisioning' && order.jobId === jobId) return
      if (order.userId === null) throw new AppError('NOT_FOUND', 'The client no longer exists.')
      const { tokenId, userId } = input
      const claimed = await claimToken(tx, eq(tokens.id, tokenId), { userId, now: clock.now() })
      if (!claimed) throw taken()
      await freshPassword(tx, { tokenId: claimed.id, hasKeys: hasKeys(order) }, deps)
      await moveOrder(tx, order, {
        to: 'provisioning',
        now: clock.now(),
        values: { jobId, failure: null, failureDetail: null },
      })
      await publishTokenChange(tx, events, input.userId)
      const entry = { target: `token:${claimed.id}`, details: { orderId: order.id } }
      await audit.record(tx, undefined, { action: 'token.claim', ...entry })
    })

  /**
   * Puts the token back on sale, and the order back to paid with the reason: only time is lost
   * (P4).
   */
  const undo = ({ jobId, input, isGivenUp }: ProvisionContext) =>
    db.transaction(async (tx) => {
      const order = await lockOrder(tx, input.orderId)
      const failure = await failureOf(tx, jobId)
      if (order.status === 'paid') {
        await tx.update(orders).set(failure).where(eq(orders.id, order.id))
        return
      }
      if (order.jobId !== jobId || order.status === 'active') return
      // Undone before, and then bought again by the same client.
      if (order.status === 'cancelled' && (await isOrderedAgain(tx, input))) return
      if (order.status === 'provisioning') {
        // Deleting the account gave up what it had paid for.
        const to = order.userId === null ? 'cancelled' : 'paid'
        await moveOrder(tx, order, { to, now: clock.now(), values: failure })
      }
      // A VM that could not be removed may still use the token's address, so the token is not sold
      // again.
      const isReturned = isGivenUp
        ? await retire(tx, input.tokenId, input.userId, clock.now())
        : await returnToStock(tx, input.tokenId, input.userId, clock.now())
      await publishTokenChange(tx, events, order.userId)
      if (isReturned) {
        const entry = { target: `token:${input.tokenId}`, details: { orderId: order.id } }
        await audit.record(tx, undefined, {
          action: isGivenUp ? 'token.retire' : 'token.return',
          ...entry,
        })
      }
    })

  return { name: 'claim', run, undo }
}

async function isOrderedAgain(tx: Db, { tokenId, orderId }: ProvisionInput): Promise<boolean> {
  const again = await tx
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        eq(orders.tokenId, tokenId),
        ne(orders.id, orderId),
        inArray(orders.status, ['pending', 'paid', 'provisioning']),
        ne(orders.kind, 'renewal'),
      ),
    )
    .limit(1)
  return again.length > 0
}

const taken = () => {
  const message = 'The token is no longer free.'
  return new AppError('TOKEN_TAKEN', message, { publicMessage: message })
}

/** The reason in two wordings: for the client and for operators. */
async function failureOf(tx: Db, jobId: string) {
  const [job] = await tx.select({ failure: jobs.failure }).from(jobs).where(eq(jobs.id, jobId))
  return {
    failure: job?.failure ? publicTextOf(job.failure) : COULD_NOT,
    failureDetail: job?.failure?.message ?? null,
  }
}
