import { z } from 'zod'
import { idParams, nothing } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { ClientInstance, Instance } from '../servers/instances.ts'
import { Checkout } from '../shop/billing.ts'
import { Token } from '../shop/tokens.ts'
import { Job } from './dashboard.ts'

/** A token as its owner sees it: without the stock's bookkeeping. */
export const ClientToken = Token.omit({
  nodeId: true,
  templateId: true,
  instanceId: true,
  billingPlanId: true,
  problem: true,
  keptUntil: true,
}).extend({
  /** Empty, as is everything else that leads to the server, until it is paid and delivered. */
  password: z.string(),
  /** Switched off and kept by the operator, or because its payment was taken back. */
  suspended: Instance.shape.suspended,
  /** The work under way on it, or the one that failed last. */
  job: Job.omit({ ownerId: true, startedAt: true, isStuck: true }).nullable(),
  /** Of a server that ended: it is deleted no earlier than this. */
  keptUntil: z.iso.datetime().nullable(),
})
export type ClientToken = z.output<typeof ClientToken>

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
    idempotent: true,
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
}
