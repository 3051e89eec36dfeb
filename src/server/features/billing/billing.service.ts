import { and, asc, desc, eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import type { Paying } from '#shared/api/money/payment-methods.ts'
import type { Billing, ClientOrderDetails } from '#shared/api/shop/billing.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { MONTHS, percentFor } from '#shared/rules/money/months.ts'
import { offersRenewal } from '#shared/rules/token/token-expiry.ts'
import { aboutOrder } from '../../audit/about-order.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { timeline } from '../../audit/timeline.ts'
import type { Db } from '../../db/database.ts'
import { orders, subscriptions } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { creditOf, lockCredit } from '../../ledger/credit.ts'
import {
  lockOrder,
  type OrderRow,
  serverIdOf,
  toClientOrder,
  tokensOf,
} from '../../orders/orders.ts'
import { releaseOrder } from '../../orders/release.ts'
import type { Checkouts } from '../../payments/checkouts.ts'
import { checkoutOf } from '../../payments/open-checkout.ts'
import { paymentsOf, toPayment } from '../../payments/payment-rows.ts'
import { readDiscounts } from '../../payments/ways/discounts.ts'
import type { Providers } from '../../payments/ways/providers.ts'
import type { Ways } from '../../payments/ways/ways.ts'
import type { AutoRenewals } from '../../provisioning/auto-renew/auto-renewals.ts'
import { hasHoarded } from '../../provisioning/unpaid-limits.ts'
import type { Receipts } from '../../receipts/receipts.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'

const CURRENCY = 'usd'

type BillingDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'log' | 'keyring'> & {
  audit: Audit
  providers: Providers
  ways: Ways
  checkouts: Checkouts
  autoRenewals: Pick<AutoRenewals, 'lasts'>
  receipts: Pick<Receipts, 'of'>
}

/** A client's dues, credit and payments. Ownership is part of every query (I3). */
export function billingService(deps: BillingDeps) {
  const { db, clock, events, audit, checkouts } = deps

  const discountList = async () => {
    const discounts = await readDiscounts(db, deps.keyring)
    return MONTHS.map((months) => ({ months, percent: percentFor(months, discounts) }))
  }

  return {
    async overview({ user }: Actor): Promise<z.input<typeof Billing>> {
      const rows = await db
        .select()
        .from(orders)
        .where(eq(orders.userId, user.id))
        .orderBy(desc(orders.id))
      const paid =
        rows.length === 0
          ? []
          : await paymentsOf(
              db,
              rows.map(({ id }) => id),
            )
      const tokenOf = await tokensOf(db, rows)
      const credit = await creditOf(db, user.id)
      return {
        credit: decimal(Math.max(0, credit)),
        owed: decimal(Math.max(0, -credit)),
        creditLasts: await deps.autoRenewals.lasts(user.id),
        currency: CURRENCY,
        orders: rows.map((row) => toClientOrder(row, tokenOf(row)?.status ?? null)),
        payments: paid.toReversed().map(toPayment),
        due: await dueFor(db, user.id, clock.now()),
        discounts: await discountList(),
        subscriptions: await db
          .select()
          .from(subscriptions)
          .where(eq(subscriptions.userId, user.id))
          .orderBy(desc(subscriptions.id)),
      }
    },

    async details(actor: Actor, id: number): Promise<z.input<typeof ClientOrderDetails>> {
      const order = await ownOrder(db, actor, id)
      const paid = await paymentsOf(db, [id])
      const token = (await tokensOf(db, [order]))(order)
      return {
        order: toClientOrder(order, token?.status ?? null),
        serverId: serverIdOf(order, token),
        jobId: order.jobId,
        payments: paid.map(toPayment),
        timeline: await timeline(db, actor, aboutOrder(id)),
        checkout: await checkoutOf(order, paid, deps),
        receipts: await deps.receipts.of(id),
      }
    },

    /** Pays from credit that arrived in the meantime, else returns where to pay the rest. */
    async pay(actor: Actor, id: number, { paymentMethod }: Paying) {
      const order = await db.transaction(async (tx) => {
        await lockCredit(tx, actor.user.id)
        const own = await lockOwn(tx, actor, id)
        if (own.status !== 'pending') throw notWaiting(own)
        const paid = await checkouts.pay(tx, own, { key: actor.key, paymentMethod })
        await publishTokenChange(tx, events, actor.user.id)
        return paid
      })
      return {
        order: toClientOrder(order),
        checkoutUrl: await checkouts.open(order, paymentMethod),
      }
    },

    cancel: (actor: Actor, id: number): Promise<void> =>
      db.transaction(async (tx) => {
        const own = await lockOwn(tx, actor, id)
        if (own.status !== 'pending') throw notWaiting(own)
        const paid = await paymentsOf(tx, [id])
        if (paid.some(({ status }) => status === 'confirming')) {
          const sentence = 'Your payment is being confirmed. Please wait until it has arrived.'
          throw new AppError('INVALID_STATE', sentence)
        }
        const now = clock.now()
        const hasLapsed = hasHoarded(own, now) && paid.every(({ seenCents }) => seenCents === 0)
        await releaseOrder(tx, own, { now, hasLapsed })
        await publishTokenChange(tx, events, actor.user.id)
        await audit.record(tx, actor, { action: 'order.give-up', target: `order:${id}` })
      }),
  }
}

const notWaiting = ({ status }: OrderRow) =>
  new AppError('INVALID_STATE', `This order is ${status}: there is nothing to pay.`)

const mine = ({ user }: Actor, id: number) => and(eq(orders.id, id), eq(orders.userId, user.id))

async function ownOrder(db: Db, actor: Actor, id: number): Promise<OrderRow> {
  const [row] = await db.select().from(orders).where(mine(actor, id))
  if (!row) throw notFound('Order')
  return row
}

async function lockOwn(tx: Db, actor: Actor, id: number): Promise<OrderRow> {
  await ownOrder(tx, actor, id)
  return await lockOrder(tx, id)
}

/** Servers that end soon, or that ended and can still be kept. */
async function dueFor(db: Db, userId: number, now: Date) {
  const rows = await db
    .select()
    .from(tokens)
    .where(and(eq(tokens.assignedUserId, userId), inArray(tokens.status, ['assigned', 'expired'])))
    .orderBy(asc(tokens.expiresAt))
  return rows.flatMap((row) => {
    const amount = decimal(row.monthlyPriceCents)
    if (row.expiresAt === null || !offersRenewal({ ...row, monthlyPrice: amount }, now)) return []
    return [{ tokenId: row.id, name: row.name, amount, expiresAt: row.expiresAt }]
  })
}
