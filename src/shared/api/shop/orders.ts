import { z } from 'zod'
import { ORDER_STATUSES } from '../../rules/money/order-status.ts'
import { MADE_WITH } from '../../rules/token/given-by-hand.ts'
import { Payment } from '../money/payments.ts'
import { Id, idParams, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Answer } from './delivery.ts'

export const OrderStatus = z.enum(ORDER_STATUSES)
export type OrderStatus = z.output<typeof OrderStatus>

export const OrderKind = z.enum([
  'purchase',
  'trial',
  'renewal',
  'package',
  'admin',
  'top-up',
  'change',
])
export type OrderKind = z.output<typeof OrderKind>

/** An order as its client sees it. */
export const ClientOrder = z.object({
  id: Id,
  planName: z.string(),
  osType: z.string().nullable(),
  amount: z.string(),
  /** The code of the coupon that was used, and what it took off; the amount is without that. */
  coupon: z.string().nullable(),
  discount: z.string(),
  currency: z.string(),
  /** How many periods a renewal buys. */
  months: z.number().int(),
  status: OrderStatus,
  createdAt: Timestamp,
  trialEndsAt: Timestamp.nullable(),
  assignedNodeId: Id.nullable(),
  assignedVmId: z.number().int().nullable(),
  kind: OrderKind,
  /** How much of the amount was paid from credit. */
  credit: z.string(),
  /** Until when the order waits for payment; after that the reservation is released. */
  payBy: Timestamp.nullable(),
  /** Why the order could not be delivered yet, in a sentence. */
  failure: z.string().nullable(),
  /** Since when its server is being made; null where none is. */
  beganAt: Timestamp.nullable(),
  /** How its server proved that it answers: only then is the order paid for. */
  answer: Answer.nullable(),
  /** What became of the server it paid for; null while the order has not delivered one. */
  server: z.enum(['current', 'expired', 'ended']).nullable(),
})
export type ClientOrder = z.output<typeof ClientOrder>

export const Order = ClientOrder.extend({
  userId: Id.nullable(),
  /** The client's name; null where the account is deleted. */
  clientName: z.string().nullable(),
  planId: z.string().nullable(),
  tokenId: Id.nullable(),
  /** The server that the client still has from this order. */
  instanceId: Id.nullable(),
  nextBillingAt: Timestamp.nullable(),
  /** The payer's bank has asked for the money back, and the dispute is open. */
  isDisputed: z.boolean(),
  updatedAt: Timestamp,
})
export type Order = z.output<typeof Order>

export const OrderEvent = z.object({
  id: z.number().int(),
  at: Timestamp,
  action: z.string(),
  by: z.enum(['you', 'client', 'admin', 'system']),
  /** At a server that was set up by hand: the client's choices that Hushbox did not apply. */
  notApplied: z.array(z.enum(MADE_WITH)).optional(),
})
export type OrderEvent = z.output<typeof OrderEvent>

/** What the client chose for the server besides the plan. */
export const OrderWishes = z.object({
  label: z.string().nullable(),
  hostname: z.string().nullable(),
  sshKeys: z.array(
    z.object({
      fingerprint: z.string(),
      /** As the client calls it; null once it has left the client's ring. */
      name: z.string().nullable(),
      /** Only for those who may give the order a VM: they put it on. */
      publicKey: z.string().nullable(),
    }),
  ),
  /** The start-up script, of which nothing but its size is shown; null without one, or once erased. */
  userData: z.object({ bytes: z.number().int() }).nullable(),
})
export type OrderWishes = z.output<typeof OrderWishes>

export const OrderDetails = z.object({
  order: Order,
  /** Null where nothing was chosen, or nothing of it is kept. */
  wishes: OrderWishes.nullable(),
  payments: z.array(Payment),
  timeline: z.array(OrderEvent),
  /** What cancelling would refund, and whether the provider can send it back itself. */
  refundable: z.object({ amount: z.string(), byProvider: z.boolean() }),
})
export type OrderDetails = z.output<typeof OrderDetails>

/** A VM that could be assigned to an order. */
export const Candidate = z.object({
  vmId: z.number().int(),
  name: z.string(),
  status: z.string(),
  /** Created by Hushbox. Any other VM belongs to someone else until an operator says otherwise. */
  isOurs: z.boolean(),
  /** Its real size in words; empty where the cluster does not report it. */
  size: z.string(),
  /** In which parts it is smaller than the size sold, in words; null where it is not smaller. */
  shortfall: z.string().nullable(),
})
export type Candidate = z.output<typeof Candidate>

export const OrderUpdate = z.object({
  status: OrderStatus.optional(),
  assignedNodeId: Id.nullish(),
  assignedVmId: z.number().int().min(100).max(999_999_999).nullish(),
  /** The client's login on the assigned server; a new password is set where the guest allows it. */
  username: z.string().trim().max(50).optional(),
  password: z.string().max(100).optional(),
  /** Accepts a VM smaller than the size sold, after the operator was shown the difference. */
  acceptSmaller: z.boolean().optional(),
  /** Where the money of a cancelled order goes; the client's credit by default. */
  refund: z.enum(['provider', 'credit', 'none']).optional(),
})

export const orders = {
  list: route({
    method: 'GET',
    path: '/api/orders',
    access: 'admin',
    staff: 'look',
    summary: 'All orders',
    response: z.array(Order),
  }),
  details: route({
    method: 'GET',
    path: '/api/orders/:id',
    access: 'admin',
    staff: 'look',
    summary: 'One order with its payments and its timeline',
    params: idParams,
    response: OrderDetails,
  }),
  candidates: route({
    method: 'GET',
    path: '/api/orders/:id/candidates',
    access: 'admin',
    staff: 'money',
    summary: 'The VMs of a node that belong to nobody, compared with what was sold',
    params: idParams,
    query: z.object({ nodeId: z.coerce.number<number>().int().positive().max(2_147_483_647) }),
    response: z.array(Candidate),
  }),
  update: route({
    method: 'PATCH',
    path: '/api/orders/:id',
    idempotent: true,
    access: 'admin',
    staff: 'money',
    summary: 'Move an order on; with node and VM id a paid order becomes active',
    params: idParams,
    body: OrderUpdate,
    response: Order,
  }),
}
