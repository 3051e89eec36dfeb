import { z } from 'zod'
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

export const PaymentStatus = z.object({
  provider: z.string(),
  /** No money moves. */
  isTestMode: z.boolean(),
  /** Where the provider must send its webhooks; null where it sends none. */
  webhookUrl: z.string().nullable(),
  lastWebhook: z
    .object({ at: Timestamp, type: z.string(), outcome: z.string().nullable() })
    .nullable(),
  /** When open payments were last polled, which complements webhooks. */
  lastPollAt: Timestamp.nullable(),
  openPayments: z.number().int(),
  /** Money of deleted accounts and of orders without a client: an admin must look at it. */
  unclaimed: z.string(),
  /** Paid = delivered + held + credit; false means that a cent is missing. */
  isBalanced: z.boolean(),
})
export type PaymentStatus = z.output<typeof PaymentStatus>

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
    summary: 'Which provider takes the money, and whether it works',
    response: PaymentStatus,
  }),
  test: route({
    method: 'POST',
    path: '/api/payments/test',
    access: 'admin',
    summary: 'Ask the provider whether our keys work',
    response: Message,
  }),
  plans: route({
    method: 'GET',
    path: '/api/billing-plans',
    access: 'admin',
    summary: 'The plans for recurring payment',
    response: z.array(BillingPlan),
  }),
  addPlan: route({
    method: 'POST',
    path: '/api/billing-plans',
    idempotent: true,
    access: 'admin',
    summary: 'Add a plan for recurring payment',
    body: BillingPlanCreate,
    response: BillingPlan,
    status: 201,
  }),
  removePlan: route({
    method: 'DELETE',
    path: '/api/billing-plans/:id',
    access: 'admin',
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
    summary: 'What the payment provider reports; signed',
    rawBody: true,
    response: z.object({ received: z.literal(true) }),
  })

export const webhooks = {
  stripe: hook('/api/webhooks/stripe'),
  btcpay: hook('/api/webhooks/btcpay'),
}
