import { z } from 'zod'
import { Renewing } from '../money/payment-methods.ts'
import { Id, idParams, nothing, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'
import { OpenCheckout } from './billing.ts'

const codeParams = z.object({ code: z.string() })

/** What anyone with the link sees: no address, no account. */
export const LinkedServer = z.object({
  label: z.string(),
  plan: z.string(),
  currency: z.string(),
  paidUntil: Timestamp.nullable(),
  /** What can be bought now; empty where it is paid for two years ahead. */
  offers: z.array(
    z.object({ months: z.number().int(), days: z.number().int(), price: z.string() }),
  ),
  /** The renewal that waits for its payment. */
  open: z
    .object({ orderId: Id, months: z.number().int(), checkout: OpenCheckout.nullable() })
    .nullable(),
})
export type LinkedServer = z.output<typeof LinkedServer>

export const paymentLinks = {
  get: route({
    method: 'GET',
    path: '/api/client/tokens/:id/payment-link',
    access: 'client',
    staff: 'help',
    scope: 'billing:read',
    summary: 'Whether a server has a payment link',
    params: idParams,
    response: z.object({ createdAt: Timestamp.nullable() }),
  }),
  create: route({
    method: 'POST',
    path: '/api/client/tokens/:id/payment-link',
    idempotent: true,
    access: 'client-in-person',
    summary: 'Make the link that renews a server without signing in; an earlier one ends',
    params: idParams,
    response: z.object({ url: z.string(), createdAt: Timestamp }),
    status: 201,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/client/tokens/:id/payment-link',
    access: 'client-in-person',
    summary: 'End the payment link of a server',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  show: route({
    method: 'GET',
    path: '/api/pay/:code',
    access: 'public',
    summary: 'The server that a payment link renews, and its price',
    params: codeParams,
    response: LinkedServer,
  }),
  pay: route({
    method: 'POST',
    path: '/api/pay/:code',
    access: 'public',
    limit: 'strict',
    summary: 'Renew the server of a payment link; asking again continues the same payment',
    params: codeParams,
    body: Renewing,
    response: z.object({ checkoutUrl: z.string().optional() }),
    status: 201,
  }),
}
