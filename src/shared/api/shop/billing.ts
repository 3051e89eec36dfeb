import { z } from 'zod'
import { WithCoupon } from '../money/coupons.ts'
import { Paying } from '../money/payment-methods.ts'
import { Payment, PaymentState } from '../money/payments.ts'
import { Id, idParams, nothing, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Wishes } from '../parts/wishes.ts'
import { ClientOrder, OrderEvent } from './orders.ts'
import { Receipt } from './receipts.ts'

const OrderCreate = Wishes.extend({
  ...Paying.shape,
  ...WithCoupon.shape,
  packageId: required('Please choose a plan', 40),
  osType: required('Please select an OS type', 100),
})

export const Checkout = z.object({
  order: ClientOrder,
  /** Where to pay, if anything is due: an external address, or a path of ours. */
  checkoutUrl: z.string().optional(),
})

/** One way to pay an open order on our own page. */
export const PaymentMethod = z.object({
  id: z.string(),
  name: z.string(),
  /** Where the money goes; `paymentLink` is the same as a link that a wallet understands. */
  destination: z.string(),
  paymentLink: z.string(),
  due: z.string(),
})
export type PaymentMethod = z.output<typeof PaymentMethod>

/** The open payment of an order, and how to make it. */
export const OpenCheckout = z.object({
  state: PaymentState,
  due: z.string(),
  /** The part of it seen so far, final or not, and the part still to be sent. */
  seen: z.string(),
  left: z.string(),
  /** The provider's own page. */
  url: z.string().nullable(),
  provider: z.string().nullable(),
  /** The way that was chosen; null: every way of the provider. */
  way: z.string().nullable(),
  /** What the operator asks of a client who pays directly. */
  instructions: z.string().nullable(),
  expiresAt: Timestamp.nullable(),
  methods: z.array(PaymentMethod),
  /** How far the network has confirmed what was seen; null where it does not count. */
  progress: z.object({ confirmations: z.number().int(), needed: z.number().int() }).nullable(),
})

export const ClientOrderDetails = z.object({
  order: ClientOrder,
  /** The server that the client still has from this order. */
  serverId: Id.nullable(),
  /** The job that delivers it, or last tried to; null where none was begun. */
  jobId: z.string().nullable(),
  payments: z.array(Payment),
  timeline: z.array(OrderEvent),
  /** Null where nothing is due. */
  checkout: OpenCheckout.nullable(),
  /** Issued when it was delivered, and again for what was taken back; oldest first. */
  receipts: z.array(Receipt),
})
export type ClientOrderDetails = z.output<typeof ClientOrderDetails>

export const ClientSubscription = z.object({
  id: Id,
  tokenId: Id.nullable(),
  status: z.string(),
  currentPeriodEnd: Timestamp.nullable(),
  cancelAtPeriodEnd: z.boolean(),
})
export type ClientSubscription = z.output<typeof ClientSubscription>

/** A server that ends soon, or has ended and can still be renewed. */
const Due = z.object({
  tokenId: Id,
  name: z.string(),
  amount: z.string(),
  expiresAt: Timestamp,
})

/** The end of the first server that the credit does not renew, and what is missing for it. */
const CreditEnd = z.object({ until: Timestamp, name: z.string(), missing: z.string() })

export const Billing = z.object({
  credit: z.string(),
  /** What is missing: credit was spent, and its payment was taken back. The next credit fills it. */
  owed: z.string(),
  /** Null where the credit lasts for two years, or no server is renewed from it. */
  creditLasts: CreditEnd.nullable(),
  currency: z.string(),
  orders: z.array(ClientOrder),
  payments: z.array(Payment),
  due: z.array(Due),
  /** What several months at once cost less, in percent. */
  discounts: z.array(z.object({ months: z.number().int(), percent: z.number().int() })),
  subscriptions: z.array(ClientSubscription),
})
export type Billing = z.output<typeof Billing>

export const billing = {
  order: route({
    method: 'POST',
    path: '/api/client/orders',
    idempotent: true,
    access: 'client-in-person',
    scope: 'billing:spend',
    summary: 'Order a package',
    body: OrderCreate,
    response: Checkout,
    status: 201,
  }),
  overview: route({
    method: 'GET',
    path: '/api/client/billing',
    access: 'client',
    staff: 'help',
    scope: 'billing:read',
    summary: 'My orders, payments, credit and what is due',
    response: Billing,
  }),
  details: route({
    method: 'GET',
    path: '/api/client/orders/:id',
    access: 'client',
    staff: 'help',
    scope: 'billing:read',
    summary: 'One of my orders: how to pay it, or its receipt',
    params: idParams,
    response: ClientOrderDetails,
  }),
  pay: route({
    method: 'POST',
    path: '/api/client/orders/:id/pay',
    idempotent: true,
    access: 'client-in-person',
    scope: 'billing:spend',
    summary: 'Go on paying an order, also in another way',
    params: idParams,
    body: Paying,
    response: Checkout,
  }),
  cancel: route({
    method: 'POST',
    path: '/api/client/orders/:id/cancel',
    access: 'client-in-person',
    scope: 'billing:spend',
    summary: 'Give up an order that is not paid',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  subscribe: route({
    method: 'POST',
    path: '/api/client/tokens/:id/subscribe',
    idempotent: true,
    access: 'client-in-person',
    summary: 'Renew a token automatically, by card',
    params: idParams,
    response: z.object({ checkoutUrl: z.string() }),
    status: 201,
  }),
  unsubscribe: route({
    method: 'POST',
    path: '/api/client/subscriptions/:id/cancel',
    access: 'client-in-person',
    summary: 'Stop renewing automatically at the end of the period',
    params: idParams,
    response: ClientSubscription,
  }),
}
