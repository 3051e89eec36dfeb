import { and, asc, desc, eq, lt, or, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { books, ListedPayment } from '#shared/api/shop/books.ts'
import type { Seller, SellerUpdate } from '#shared/api/shop/receipts.ts'
import { decimal } from '#shared/rules/money/money.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { inPeriod, type Period } from '../../db/in-period.ts'
import { orders, payments } from '../../db/schema/sales.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { type PaymentRow, toPayment } from '../../payments/payment-rows.ts'
import { readSeller, storeSeller } from '../../receipts/seller.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { ledgerTable } from './ledger-table.ts'

type BooksDeps = Pick<Deps, 'db' | 'clock' | 'keyring' | 'config'> & { audit: Audit }
type Query = z.output<typeof books.payments.query>

/** For the operator and the accountant: every payment, the ledger, and what receipts say. */
export function booksService(deps: BooksDeps) {
  const { db, clock, keyring, audit } = deps
  return {
    async payments({ provider, state, q, before, from, to, limit }: Query) {
      const rows = await db
        .select({ payment: payments, order: orders })
        .from(payments)
        .innerJoin(orders, eq(orders.id, payments.orderId))
        .where(
          and(
            provider === undefined ? undefined : eq(payments.provider, provider),
            state === undefined ? undefined : eq(payments.status, state),
            q === undefined ? undefined : isAbout(q),
            before === undefined ? undefined : lt(payments.id, before),
            inPeriod(payments.createdAt, { from, to }),
          ),
        )
        .orderBy(desc(payments.id))
        .limit(limit + 1)
      const page = rows.slice(0, limit)
      const providers = await db
        .selectDistinct({ provider: payments.provider })
        .from(payments)
        .orderBy(asc(payments.provider))
      return {
        payments: page.map(toListed),
        next: rows.length > limit ? (page.at(-1)?.payment.id ?? null) : null,
        providers: providers.map((row) => row.provider),
      }
    },

    ledger: (period: Period) => ledgerTable(db, period),

    seller: (): Promise<Seller> => readSeller(db, deps),

    setSeller: (
      actor: Actor,
      { name = null, address = null, taxId = null }: z.output<typeof SellerUpdate>,
    ): Promise<Seller> =>
      db.transaction(async (tx) => {
        const seller = { name, address, taxId }
        await storeSeller(tx, seller, { keyring, now: clock.now() })
        await audit.record(tx, actor, { action: 'receipts.seller', target: 'receipts' })
        return seller
      }),
  }
}

const ORDER_ID = /^\d{1,9}$/

/** An order's number as it is, a provider's id by its beginning: providers' pages cut it short. */
function isAbout(q: string) {
  const isReferred = sql`starts_with(${payments.providerPaymentId}, ${q})`
  return ORDER_ID.test(q) ? or(eq(payments.orderId, Number(q)), isReferred) : isReferred
}

const toListed = ({
  payment,
  order,
}: {
  payment: PaymentRow
  order: OrderRow
}): z.input<typeof ListedPayment> => ({
  ...toPayment(payment),
  reference: payment.providerPaymentId,
  way: payment.way,
  lost: decimal(payment.lostCents),
  planName: order.planName,
  coupon: order.coupon,
  discount: decimal(order.discountCents),
  orderKind: order.kind,
  orderStatus: order.status,
})
