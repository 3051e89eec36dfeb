import { z } from 'zod'
import { Id, idParams, Timestamp } from './fields.ts'
import { route } from './route.ts'

export const OrderStatus = z.enum(['pending', 'paid', 'provisioning', 'active', 'cancelled'])
export type OrderStatus = z.output<typeof OrderStatus>

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
  kind: z.enum(['purchase', 'trial', 'renewal', 'package', 'admin']),
  /** Why it could not be delivered yet, in a sentence. */
  failure: z.string().nullable(),
})
export type ClientOrder = z.output<typeof ClientOrder>

export const Order = ClientOrder.extend({
  userId: Id.nullable(),
  planId: z.string().nullable(),
  tokenId: Id.nullable(),
  nextBillingAt: Timestamp.nullable(),
  updatedAt: Timestamp,
})
export type Order = z.output<typeof Order>

export const OrderUpdate = z.object({
  status: OrderStatus.optional(),
  assignedNodeId: Id.nullish(),
  assignedVmId: z.number().int().min(100).max(999_999_999).nullish(),
})

export const orders = {
  list: route({
    method: 'GET',
    path: '/api/orders',
    access: 'admin',
    summary: 'All orders',
    response: z.array(Order),
  }),
  update: route({
    method: 'PATCH',
    path: '/api/orders/:id',
    access: 'admin',
    summary: 'Move an order on; with node and VM id a paid order becomes active',
    params: idParams,
    body: OrderUpdate,
    response: Order,
  }),
}
