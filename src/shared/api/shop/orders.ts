import { z } from 'zod'
import { ORDER_STATUSES } from '../../rules/money/order-status.ts'
import { Id, idParams, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Payment } from './payments.ts'

export const OrderStatus = z.enum(ORDER_STATUSES)
export type OrderStatus = z.output<typeof OrderStatus>

export const OrderKind = z.enum(['purchase', 'trial', 'renewal', 'package', 'admin'])
export type OrderKind = z.output<typeof OrderKind>

/** An order as its client sees it. */
export const ClientOrder = z.object({
  id: Id,
  planName: z.string(),
  osType: z.string().nullable(),
  amount: z.string(),
  currency: z.string(),
  status: OrderStatus,
  createdAt: Timestamp,
  trialEndsAt: Timestamp.nullable(),
  assignedNodeId: Id.nullable(),
  assignedVmId: z.number().int().nullable(),
  kind: OrderKind,
  /** How much of the amount was paid from credit. */
  credit: z.string(),
  /** Until when it waits for payment; then what was reserved is free again. */
  payBy: Timestamp.nullable(),
  /** Why it could not be delivered yet, in a sentence. */
  failure: z.string().nullable(),
  /** What became of the server it paid for; null while the order has not delivered one. */
  server: z.enum(['current', 'expired', 'ended']).nullable(),
})
export type ClientOrder = z.output<typeof ClientOrder>

export const Order = ClientOrder.extend({
  userId: Id.nullable(),
  /** Whose it is, in words; null where the account is deleted. */
  clientName: z.string().nullable(),
  planId: z.string().nullable(),
  tokenId: Id.nullable(),
  /** The server its client still has by it. */
  instanceId: Id.nullable(),
  nextBillingAt: Timestamp.nullable(),
  /** The payer's bank asks for the money back, and that is not decided yet. */
  isDisputed: z.boolean(),
  updatedAt: Timestamp,
})
export type Order = z.output<typeof Order>

export const OrderEvent = z.object({
  id: z.number().int(),
  at: Timestamp,
  action: z.string(),
  by: z.enum(['you', 'client', 'admin', 'system']),
})
export type OrderEvent = z.output<typeof OrderEvent>

export const OrderDetails = z.object({
  order: Order,
  payments: z.array(Payment),
  timeline: z.array(OrderEvent),
  /** What cancelling it would give back, and whether the provider can send it back itself. */
  refundable: z.object({ amount: z.string(), byProvider: z.boolean() }),
})
export type OrderDetails = z.output<typeof OrderDetails>

/** A VM that could be given to an order. */
export const Candidate = z.object({
  vmId: z.number().int(),
  name: z.string(),
  status: z.string(),
  /** Made by this house. Any other VM is somebody's own until an operator says otherwise. */
  isOurs: z.boolean(),
  /** What it really has, in words; empty where the cluster does not say. */
  size: z.string(),
  /** In what it is smaller than what was sold, in words; null where it is not. */
  shortfall: z.string().nullable(),
})
export type Candidate = z.output<typeof Candidate>

export const OrderUpdate = z.object({
  status: OrderStatus.optional(),
  assignedNodeId: Id.nullish(),
  assignedVmId: z.number().int().min(100).max(999_999_999).nullish(),
  /** How the client signs in to the server it is given; a new password is set where the guest lets us. */
  username: z.string().trim().max(50).optional(),
  password: z.string().max(100).optional(),
  /** The VM may be smaller than what was sold: somebody was shown in what, and means it. */
  acceptSmaller: z.boolean().optional(),
  /** Where the money of a cancelled order goes; the client's credit unless said. */
  refund: z.enum(['provider', 'credit', 'none']).optional(),
})

export const orders = {
  list: route({
    method: 'GET',
    path: '/api/orders',
    access: 'admin',
    summary: 'All orders',
    response: z.array(Order),
  }),
  details: route({
    method: 'GET',
    path: '/api/orders/:id',
    access: 'admin',
    summary: 'One order with its payments and its timeline',
    params: idParams,
    response: OrderDetails,
  }),
  candidates: route({
    method: 'GET',
    path: '/api/orders/:id/candidates',
    access: 'admin',
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
    summary: 'Move an order on; with node and VM id a paid order becomes active',
    params: idParams,
    body: OrderUpdate,
    response: Order,
  }),
}
