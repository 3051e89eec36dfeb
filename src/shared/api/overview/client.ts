import { z } from 'zod'
import { WithCoupon } from '../money/coupons.ts'
import { Renewing } from '../money/payment-methods.ts'
import { Id, idParams, nothing } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { Wishes } from '../parts/wishes.ts'
import { ClientInstance, Instance } from '../servers/instances.ts'
import { Checkout } from '../shop/billing.ts'
import { Token } from '../shop/tokens.ts'
import { Job } from './dashboard.ts'

/** A token as its owner sees it, without the operator's stock fields. */
export const ClientToken = Token.omit({
  nodeId: true,
  templateId: true,
  instanceId: true,
  billingPlanId: true,
  problem: true,
  keptUntil: true,
}).extend({
  /**
   * Empty until the order is paid and delivered, like every other field that leads to the server.
   */
  password: z.string(),
  /** What the client calls the server; the token's name where it has no label. */
  label: z.string(),
  /** Switched off and kept by the operator, or because its payment was taken back. */
  suspended: Instance.shape.suspended,
  /** Renewed from credit three days before its end. */
  autoRenew: z.boolean(),
  /** The job under way on it, or the last job that failed. */
  job: Job.omit({ ownerId: true, isStuck: true }).nullable(),
  /** For a server that ended: it is not deleted before this moment. */
  keptUntil: z.iso.datetime().nullable(),
})
export type ClientToken = z.output<typeof ClientToken>

/** How the new owner of a server signs in to it: with keys, else with a new password. */
export const TakeOver = Wishes.pick({ sshKeyIds: true })

export const client = {
  tokens: route({
    method: 'GET',
    path: '/api/client/tokens',
    access: 'client',
    staff: 'help',
    scope: 'servers:read',
    summary: 'My tokens',
    response: z.array(ClientToken),
  }),
  instances: route({
    method: 'GET',
    path: '/api/client/instances',
    access: 'client',
    staff: 'help',
    scope: 'servers:read',
    summary: 'My instances',
    response: z.array(ClientInstance),
  }),
  renew: route({
    method: 'POST',
    path: '/api/client/tokens/:id/renew',
    idempotent: true,
    access: 'client-in-person',
    scope: 'billing:spend',
    summary: 'Extend a token by its duration, or by several',
    params: idParams,
    body: Renewing.extend(WithCoupon.shape),
    response: Checkout,
    status: 201,
  }),
  cancel: route({
    method: 'POST',
    path: '/api/client/tokens/:id/cancel',
    access: 'client-in-person',
    scope: 'billing:spend',
    summary: 'Give a server up; it is stopped now and destroyed after the grace period',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  takeOver: route({
    method: 'POST',
    path: '/api/client/transfers/:code',
    idempotent: true,
    access: 'client-in-person',
    limit: 'strict',
    summary: 'Take a server over with the code its owner made; its login is replaced',
    params: z.object({ code: z.string() }),
    body: TakeOver,
    response: z.object({ instanceId: Id, jobId: z.string() }),
    status: 202,
  }),
}
