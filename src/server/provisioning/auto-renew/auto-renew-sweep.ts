import { and, eq, lt, lte, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { AUTO_RENEW_DAYS, AUTO_RENEW_WARNING_DAYS } from '#shared/rules/money/credit-lasts.ts'
import { NO_DISCOUNTS } from '#shared/rules/money/months.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { tokens } from '../../db/schema/stock.ts'
import { creditOf, lockCredit } from '../../ledger/credit.ts'
import { openRenewal } from '../../orders/open-renewal.ts'
import type { Checkouts } from '../../payments/checkouts.ts'
import type { Deps } from '../../runtime/deps.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { renewalTerm } from '../../tokens/renewal-term.ts'
import { isUnderWay, renewalOrder } from '../renewal-order.ts'
import { daysAhead, isDue, ownersCredit, periodKey, renewing } from './auto-renew-rows.ts'

type AutoRenewDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'log'> & {
  audit: Audit
  checkouts: Checkouts
}
type Which = { tokenId: number; userId: number }

/**
 * Renews servers from their owners' credit, three days before their end. One that the credit does
 * not cover is tried again with every sweep, until its grace period is over: credit that comes
 * later renews it then.
 *
 * Any number of processes may run this at once: a renewal is one transaction under the lock on the
 * client's credit, it decides by the rows as they are then, and the ledger takes one posting for
 * each period of a server.
 */
export function createAutoRenewSweep(deps: AutoRenewDeps) {
  const { db, clock, log } = deps
  return async (): Promise<void> => {
    await tellShort(deps)
    for (const which of await covered(db, clock.now())) {
      try {
        await db.transaction((tx) => renew(tx, which, deps))
      } catch (error) {
        const isPaid = brokenConstraint(error) === 'ledger_key'
        if (!isPaid && !(error instanceof AppError)) throw error
        log.warn({ err: error, tokenId: which.tokenId }, 'a server was not renewed from credit')
      }
    }
  }
}

async function covered(db: Db, now: Date): Promise<Which[]> {
  const isNear = lte(tokens.expiresAt, daysAhead(now, AUTO_RENEW_DAYS))
  const isCovered = lte(tokens.monthlyPriceCents, ownersCredit)
  return (await renewing(db, and(isNear, isCovered))).flatMap(({ token }) =>
    token.assignedUserId === null ? [] : [{ tokenId: token.id, userId: token.assignedUserId }],
  )
}

async function renew(tx: Db, { tokenId, userId }: Which, deps: AutoRenewDeps): Promise<void> {
  const { clock, events, checkouts } = deps
  await lockCredit(tx, userId)
  const open = await openRenewal(tx, { userId, tokenId })
  if (open && (await isUnderWay(tx, open.id))) return
  const now = clock.now()
  const isIt = and(eq(tokens.id, tokenId), eq(tokens.assignedUserId, userId))
  await tx.select({ id: tokens.id }).from(tokens).where(isIt).for('update')
  const [found] = await renewing(tx, isIt)
  if (!found || !isDue(found.token, now)) return
  const { token } = found
  // What an unpaid renewal has set aside is spent on it, or comes back first.
  const credit = (await creditOf(tx, userId)) + (open?.creditCents ?? 0)
  if (credit < token.monthlyPriceCents) return
  await renewalTerm(tx, token, now)
  const placed = await renewalOrder(tx, token, open, { months: 1, discounts: NO_DISCOUNTS, now })
  const details = { tokenId, orderId: placed.id }
  const entry = { action: 'token.auto-renew', target: `token:${tokenId}`, details }
  await checkouts.pay(tx, placed, {
    key: undefined,
    paymentMethod: 'credit',
    once: periodKey(token),
    placed: { by: undefined, entry },
  })
  await publishTokenChange(tx, events, userId)
}

/** Once for each period, a week before the end: in the server's activity. */
async function tellShort({ db, clock, events, audit }: AutoRenewDeps): Promise<void> {
  const isNear = lte(tokens.expiresAt, daysAhead(clock.now(), AUTO_RENEW_WARNING_DAYS))
  const isShort = lt(ownersCredit, tokens.monthlyPriceCents)
  const isUntold = sql`${tokens.autoRenewTold} is distinct from ${tokens.expiresAt}`
  for (const { token } of await renewing(db, and(isNear, isShort, isUntold))) {
    await db.transaction(async (tx) => {
      const [told] = await tx
        .update(tokens)
        .set({ autoRenewTold: sql`${tokens.expiresAt}` })
        .where(and(eq(tokens.id, token.id), isUntold))
        .returning({ userId: tokens.assignedUserId })
      if (!told) return
      await publishTokenChange(tx, events, told.userId)
      await audit.record(tx, undefined, {
        action: 'token.auto-renew-short',
        target: `token:${token.id}`,
        details: { endsAt: token.expiresAt },
      })
    })
  }
}
