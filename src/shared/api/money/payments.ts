import { z } from 'zod'
import { MOST_PERCENT } from '../../rules/money/months.ts'
import {
  Id,
  idParams,
  Message,
  nothing,
  optionalText,
  orNull,
  Price,
  required,
  Timestamp,
} from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { PaymentWay } from './payment-methods.ts'

/**
 * - `confirming`: sent, but not yet final; the reservation waits for it
 * - `expired`: the time to pay is over; money that arrives later becomes credit
 */
export const PaymentState = z.enum([
  'pending',
  'confirming',
  'paid',
  'expired',
  'failed',
  'refunded',
])
export type PaymentState = z.output<typeof PaymentState>

export const Payment = z.object({
  id: Id,
  orderId: Id,
  provider: z.string(),
  /** Requested, received and refunded. */
  amount: z.string(),
  received: z.string(),
  refunded: z.string(),
  /** What was seen so far, final or not: a payment in coins may arrive in parts. */
  seen: z.string(),
  currency: z.string(),
  status: PaymentState,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Payment = z.output<typeof Payment>

/** A report of a provider, and what came of it. */
const LastWebhook = z
  .object({ at: Timestamp, type: z.string(), outcome: z.string().nullable() })
  .nullable()

export const ProviderStatus = z.object({
  name: z.string(),
  /** False: only payments that began there go on. */
  isOffered: z.boolean(),
  /** Where the provider must send its webhooks; null where it sends none. */
  webhookUrl: z.string().nullable(),
  lastWebhook: LastWebhook,
  openPayments: z.number().int(),
  /** Since when it does not answer; null while it does. */
  awaySince: Timestamp.nullable(),
  /**
   * For the operator's own Monero wallet: how many addresses without money it must look past, and
   * how many were handed out; null with any other provider.
   */
  lookAhead: z.object({ needed: z.number().int(), handedOut: z.number().int() }).nullable(),
})
export type ProviderStatus = z.output<typeof ProviderStatus>

export const OperatorWay = PaymentWay.extend({
  provider: z.string(),
  /** The name that buyers read unless the operator gives another. */
  usualName: z.string(),
  isHidden: z.boolean(),
})
export type OperatorWay = z.output<typeof OperatorWay>

export const WaysUpdate = z.object({
  /** Every way, in the order in which they are offered. */
  ways: z
    .array(
      z.object({
        id: z.string().max(40),
        name: orNull(optionalText(40)),
        isHidden: z.boolean(),
      }),
    )
    .min(1)
    .max(20),
  /** What a client reads who pays the operator directly. */
  instructions: orNull(optionalText(2000)),
})

export const PaymentStatus = z.object({
  /** The first that is offered. */
  provider: z.string(),
  /** No money moves. */
  isTestMode: z.boolean(),
  webhookUrl: z.string().nullable(),
  lastWebhook: LastWebhook,
  providers: z.array(ProviderStatus),
  ways: z.array(OperatorWay),
  instructions: z.string().nullable(),
  /** When open payments were last polled, which complements webhooks. */
  lastPollAt: Timestamp.nullable(),
  openPayments: z.number().int(),
  /** Money of deleted accounts and of orders without a client: an admin must look at it. */
  unclaimed: z.string(),
  /** Paid = delivered + held + credit; false means that a cent is missing. */
  isBalanced: z.boolean(),
})
export type PaymentStatus = z.output<typeof PaymentStatus>

const Percent = z
  .number('Please enter a number')
  .int('Please enter whole percents')
  .min(0, 'Please enter at least 0')
  .max(MOST_PERCENT, `Please enter at most ${MOST_PERCENT}`)

/** What several months at once cost less, in percent. */
export const MonthsDiscounts = z.object({ 3: Percent, 6: Percent, 12: Percent })
export type MonthsDiscounts = z.output<typeof MonthsDiscounts>

export const BillingPlan = z.object({
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  monthlyPrice: z.string(),
  stripePriceId: z.string().nullable(),
  features: z.array(z.string()),
  isActive: z.boolean(),
})
export type BillingPlan = z.output<typeof BillingPlan>

export const BillingPlanCreate = z.object({
  name: required('Please enter a name', 100),
  description: orNull(optionalText(500)),
  monthlyPrice: Price,
  stripePriceId: orNull(optionalText(100)),
  features: z.array(required('Please fill in every feature', 100)).max(20).default([]),
  isActive: z.boolean().default(true),
})

export const payments = {
  status: route({
    method: 'GET',
    path: '/api/payments/status',
    access: 'admin',
    staff: 'money',
    summary: 'Which providers take the money, and whether they work',
    response: PaymentStatus,
  }),
  test: route({
    method: 'POST',
    path: '/api/payments/test',
    access: 'admin',
    summary: 'Ask a provider whether our keys work',
    body: z.object({ provider: z.string().max(40).optional() }),
    response: Message,
  }),
  arrange: route({
    method: 'PUT',
    path: '/api/payments/ways',
    access: 'admin',
    summary: 'Order, name and hide the ways to pay, and say how to pay directly',
    body: WaysUpdate,
    response: z.array(OperatorWay),
  }),
  discounts: route({
    method: 'GET',
    path: '/api/payments/discounts',
    access: 'admin',
    staff: 'money',
    summary: 'What several months at once cost less',
    response: MonthsDiscounts,
  }),
  setDiscounts: route({
    method: 'PUT',
    path: '/api/payments/discounts',
    access: 'admin',
    staff: 'money',
    summary: 'Say what several months at once cost less',
    body: MonthsDiscounts,
    response: MonthsDiscounts,
  }),
  plans: route({
    method: 'GET',
    path: '/api/billing-plans',
    access: 'admin',
    staff: 'money',
    summary: 'The plans for recurring payment',
    response: z.array(BillingPlan),
  }),
  addPlan: route({
    method: 'POST',
    path: '/api/billing-plans',
    idempotent: true,
    access: 'admin',
    staff: 'money',
    summary: 'Add a plan for recurring payment',
    body: BillingPlanCreate,
    response: BillingPlan,
    status: 201,
  }),
  removePlan: route({
    method: 'DELETE',
    path: '/api/billing-plans/:id',
    access: 'admin',
    staff: 'money',
    summary: 'Delete a plan for recurring payment',
    params: idParams,
    response: nothing,
    status: 204,
  }),
}

/** A signature over the raw bytes authenticates the body, so the body is not parsed first. */
const hook = <const P extends `/api/webhooks/${string}`>(path: P) =>
  route({
    method: 'POST',
    path,
    access: 'public',
    staff: 'money',
    summary: 'What the payment provider reports; signed',
    rawBody: true,
    response: z.object({ received: z.literal(true) }),
  })

export const webhooks = {
  stripe: hook('/api/webhooks/stripe'),
  btcpay: hook('/api/webhooks/btcpay'),
}
