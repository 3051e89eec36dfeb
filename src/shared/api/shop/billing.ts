import { z } from 'zod'
import { Id, idParams, nothing, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Wishes } from '../parts/wishes.ts'
import { ClientOrder, OrderEvent } from './orders.ts'
import { Payment, PaymentState } from './payments.ts'

const OrderCreate = Wishes.extend({
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

export const ClientOrderDetails = z.object({
  order: ClientOrder,
  payments: z.array(Payment),
  timeline: z.array(OrderEvent),
  /** The open payment; null where nothing is due. */
  checkout: z
    .object({
      state: PaymentState,
      due: z.string(),
      /** The part of it seen so far, final or not, and the part still to be sent. */
      seen: z.string(),
      left: z.string(),
      /** The provider's own page. */
      url: z.string().nullable(),
      expiresAt: Timestamp.nullable(),
      methods: z.array(PaymentMethod),
    })
    .nullable(),
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

export const Billing = z.object({
  credit: z.string(),
  currency: z.string(),
  orders: z.array(ClientOrder),
  payments: z.array(Payment),
  due: z.array(Due),
  subscriptions: z.array(ClientSubscription),
})
export type Billing = z.output<typeof Billing>

export const billing = {
  order: route({
    method: 'POST',
    path: '/api/client/orders',
    idempotent: true,
    access: 'client-in-person',
    summary: 'Order a package',
    body: OrderCreate,
    response: Checkout,
    status: 201,
  }),
  overview: route({
    method: 'GET',
    path: '/api/client/billing',
    access: 'client',
    summary: 'My orders, payments, credit and what is due',
    response: Billing,
  }),
  details: route({
    method: 'GET',
    path: '/api/client/orders/:id',
    access: 'client',
    summary: 'One of my orders: how to pay it, or its receipt',
    params: idParams,
    response: ClientOrderDetails,
  }),
  pay: route({
    method: 'POST',
    path: '/api/client/orders/:id/pay',
    idempotent: true,
    access: 'client-in-person',
    summary: 'Go on paying an order',
    params: idParams,
    response: Checkout,
  }),
  cancel: route({
    method: 'POST',
    path: '/api/client/orders/:id/cancel',
    access: 'client-in-person',
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
