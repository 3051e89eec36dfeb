import { z } from 'zod'
import { Payment, PaymentState } from '../money/payments.ts'
import { Id } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { OrderKind, OrderStatus } from './orders.ts'
import { Seller, SellerUpdate } from './receipts.ts'

export const ListedPayment = Payment.extend({
  /** The provider's own id of it. */
  reference: z.string(),
  /** The way the buyer chose; null: every way of the provider pays it. */
  way: z.string().nullable(),
  /** What the payer's bank took back in a dispute. */
  lost: z.string(),
  planName: z.string(),
  /** Of its order: the code of the coupon, and what it took off. */
  coupon: z.string().nullable(),
  discount: z.string(),
  orderKind: OrderKind,
  orderStatus: OrderStatus,
})
export type ListedPayment = z.output<typeof ListedPayment>

const PaymentPage = z.object({
  payments: z.array(ListedPayment),
  /** The id to pass as `before` for older payments; null at the end. */
  next: Id.nullable(),
  /** Every provider that has taken a payment, for the filter. */
  providers: z.array(z.string()),
})

const Day = z.iso.date('Dates look like 2026-11-15')

/** The first and the last day, in server time (UTC). */
const Period = z.object({ from: Day.optional(), to: Day.optional() })

const PAGE = 50

export const books = {
  payments: route({
    method: 'GET',
    path: '/api/payments',
    access: 'admin',
    staff: 'money',
    summary: 'Every payment, newest first',
    query: Period.extend({
      provider: z
        .string()
        .regex(/^[a-z]{1,40}$/)
        .optional(),
      state: PaymentState.optional(),
      /** The number of an order, or the beginning of a provider's own id of a payment. */
      q: z.string().trim().min(1).max(100).optional(),
      before: z.coerce.number<number>().int().positive().max(2_147_483_647).optional(),
      limit: z.coerce.number<number>().int().min(1).max(200).default(PAGE),
    }),
    response: PaymentPage,
  }),
  ledger: route({
    method: 'GET',
    path: '/api/ledger.csv',
    access: 'admin',
    staff: 'money',
    summary: 'The ledger as a table for accountants; every posting sums to zero',
    query: Period,
    csv: 'ledger',
    response: z.string(),
  }),
  seller: route({
    method: 'GET',
    path: '/api/seller',
    access: 'admin',
    staff: 'money',
    summary: 'What receipts say of the operator',
    response: Seller,
  }),
  setSeller: route({
    method: 'PUT',
    path: '/api/seller',
    access: 'admin',
    staff: 'money',
    summary: 'Say what the next receipts say of the operator',
    body: SellerUpdate,
    response: Seller,
  }),
}
