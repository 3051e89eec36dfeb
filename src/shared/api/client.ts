import { z } from 'zod'
import { Job } from './dashboard.ts'
import { idParams, nothing, required } from './fields.ts'
import { ClientInstance } from './instances.ts'
import { ClientOrder } from './orders.ts'
import { route } from './route.ts'
import { Token } from './tokens.ts'

/** A token as its owner sees it: without the stock's bookkeeping. */
export const ClientToken = Token.omit({
  nodeId: true,
  templateId: true,
  instanceId: true,
  billingPlanId: true,
  problem: true,
}).extend({
  /** The work under way on it, or the one that failed last. */
  job: Job.omit({ ownerId: true }).nullable(),
})
export type ClientToken = z.output<typeof ClientToken>

export const OrderCreate = z.object({
  packageId: required('Please choose a plan', 40),
  osType: required('Please select an OS type', 100),
})

const Checkout = z.object({ order: ClientOrder, checkoutUrl: z.string().optional() })

export const client = {
  tokens: route({
    method: 'GET',
    path: '/api/client/tokens',
    access: 'client',
    summary: 'My tokens',
    response: z.array(ClientToken),
  }),
  instances: route({
    method: 'GET',
    path: '/api/client/instances',
    access: 'client',
    summary: 'My instances',
    response: z.array(ClientInstance),
  }),
  renew: route({
    method: 'POST',
    path: '/api/client/tokens/:id/renew',
    access: 'client-in-person',
    summary: 'Extend a token by its duration',
    params: idParams,
    response: Checkout,
    status: 201,
  }),
  cancel: route({
    method: 'POST',
    path: '/api/client/tokens/:id/cancel',
    access: 'client-in-person',
    summary: 'Give a server up; it is stopped now and destroyed after the grace period',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  order: route({
    method: 'POST',
    path: '/api/client/orders',
    access: 'client-in-person',
    summary: 'Order a package',
    body: OrderCreate,
    response: Checkout,
    status: 201,
  }),
}
