import { and, asc, eq, gt, lte, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Audit } from '../audit/audit-log.ts'
import { orders, payments } from '../db/schema/sales.ts'
import { lockOrder, type OrderRow } from '../orders/orders.ts'
import { releaseOrder } from '../orders/release.ts'
import type { Deps } from '../runtime/deps.ts'
import { publishTokenChange } from '../tokens/publish-token-change.ts'
import { WAIT_MS } from './checkouts.ts'
import { openPaymentsOf, paymentsOf } from './payment-rows.ts'
import type { Settlement } from './settlement.ts'
import type { Providers } from './ways/providers.ts'

const BATCH = 50
/** A renewal waits one day; the rest allows for small differences between clocks. */
const LONGEST_MS = DAY_MS + 10 * 60_000

type LapseDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'log'> & {
  audit: Audit
  providers: Providers
  settlement: Settlement
}

/**
 * Cancels orders that were not paid in time (O4) and frees what they reserved. Asks the provider
 * once more first: a payment being confirmed keeps the reservation, and one that arrives later
 * becomes credit.
 */
export function lapseSweep(deps: LapseDeps) {
  const { db, clock, events, audit } = deps
  return async (): Promise<void> => {
    await shortenImpossible(deps)
    for (const { id } of await overdue(deps)) {
      await askAgain(deps, id)
      await db.transaction(async (tx) => {
        const order = await lockOrder(tx, id)
        if (!isOverdue(order, clock.now())) return
        const open = await openPaymentsOf(tx, id)
        if (open.some(({ status }) => status === 'confirming')) return
        await tx
          .update(payments)
          .set({ status: 'expired', updatedAt: clock.now() })
          .where(and(eq(payments.orderId, id), eq(payments.status, 'pending')))
        const hasLapsed = (await paymentsOf(tx, [id])).every(({ seenCents }) => seenCents === 0)
        await releaseOrder(tx, order, { now: clock.now(), hasLapsed })
        await publishTokenChange(tx, events, order.userId)
        await audit.record(tx, undefined, { action: 'order.lapse', target: `order:${id}` })
      })
    }
  }
}

/** Shortens a deadline that lies too far ahead: it was set by a clock that was wrong. */
async function shortenImpossible({ db, clock }: LapseDeps): Promise<void> {
  const now = clock.now().getTime()
  await db
    .update(orders)
    .set({ payBy: new Date(now + WAIT_MS) })
    .where(and(eq(orders.status, 'pending'), gt(orders.payBy, new Date(now + LONGEST_MS))))
}

const overdue = ({ db, clock }: LapseDeps) =>
  db
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        eq(orders.status, 'pending'),
        lte(orders.payBy, clock.now()),
        sql`not exists (select 1 from ${payments} where ${payments.orderId} = ${orders.id}
          and ${payments.status} = 'confirming')`,
      ),
    )
    .orderBy(asc(orders.id))
    .limit(BATCH)

const isOverdue = (order: OrderRow, now: Date): boolean =>
  order.status === 'pending' && order.payBy !== null && order.payBy <= now

/**
 * A provider that is unreachable does not keep the reservation: a payment it reports later becomes
 * credit.
 */
async function askAgain({ db, providers, settlement, log }: LapseDeps, orderId: number) {
  for (const payment of await openPaymentsOf(db, orderId)) {
    const fetchState = (await providers.now(db)).named(payment.provider)?.fetchState
    if (!fetchState) continue
    try {
      await settlement.settle(payment.id, await fetchState(payment.providerPaymentId))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.warn({ err: error, orderId }, 'the payment provider could not be asked before a lapse')
    }
  }
}
