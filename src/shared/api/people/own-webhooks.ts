import { z } from 'zod'
import { WEBHOOK_EVENTS } from '../../rules/people/webhook-events.ts'
import { OFF_REASONS } from '../../rules/people/webhook-tries.ts'
import { Id, idParams, nothing, required, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

/** More than any honest account needs. */
export const WEBHOOKS_MAX = 10
const URL_MAX = 500

const WebhookEvent = z.enum(WEBHOOK_EVENTS, { error: 'Please choose events of the list' })

export const Webhook = z.object({
  id: Id,
  url: z.string(),
  events: z.array(WebhookEvent),
  isOn: z.boolean(),
  /** Why we switched it off: it answered 410, or nothing arrived for five days. */
  offReason: z.enum(OFF_REASONS).nullable(),
  /** Since when no delivery has arrived; null: the last one did. */
  failingSince: Timestamp.nullable(),
  /** Until when we sign with the replaced secret as well. */
  oldSecretUntil: Timestamp.nullable(),
  createdAt: Timestamp,
})
export type Webhook = z.output<typeof Webhook>

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const

const Delivery = z.object({
  id: Id,
  /** The header `webhook-id`: the same for every try. */
  messageId: z.string(),
  type: z.string(),
  state: z.enum(DELIVERY_STATES),
  tries: z.number(),
  /** Of the next try; null if there is none. */
  nextAt: Timestamp.nullable(),
  lastAt: Timestamp.nullable(),
  lastStatus: z.number().nullable(),
  /** How the answer begins, or why there is none. */
  lastAnswer: z.string().nullable(),
  /** The body as it is sent. */
  payload: z.string(),
  createdAt: Timestamp,
})
export type Delivery = z.output<typeof Delivery>

export const WebhookWish = z.object({
  url: required('Please enter an address', URL_MAX),
  events: z
    .array(WebhookEvent, { error: 'Please choose at least one event' })
    .min(1, 'Please choose at least one event')
    .max(WEBHOOK_EVENTS.length, 'Please name each event once')
    .refine((events) => new Set(events).size === events.length, 'Please name each event once'),
})

/** A webhook sends what happens somewhere else, so only a person in person sets one up. */
const own = { access: 'in-person', staff: 'look' } as const

export const ownWebhooks = {
  list: route({
    method: 'GET',
    path: '/api/account/webhooks',
    ...own,
    summary: 'My webhooks, without their secrets',
    response: z.array(Webhook),
  }),
  create: route({
    method: 'POST',
    path: '/api/account/webhooks',
    ...own,
    idempotent: true,
    needsProof: true,
    summary: 'Make a webhook. Its secret is in this answer and nowhere else',
    body: WebhookWish,
    response: Webhook.extend({ secret: z.string() }),
    status: 201,
  }),
  update: route({
    method: 'PUT',
    path: '/api/account/webhooks/:id',
    ...own,
    needsProof: true,
    summary: 'Change a webhook, or switch it on or off',
    params: idParams,
    body: WebhookWish.extend({ isOn: z.boolean().default(true) }),
    response: Webhook,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/account/webhooks/:id',
    ...own,
    summary: 'End a webhook at once, with its log',
    params: idParams,
    response: nothing,
    status: 204,
  }),
  deliveries: route({
    method: 'GET',
    path: '/api/account/webhooks/:id/deliveries',
    ...own,
    summary: 'What was sent to a webhook in the last 30 days, newest first',
    params: idParams,
    response: z.array(Delivery),
  }),
  redeliver: route({
    method: 'POST',
    path: '/api/account/webhooks/:id/redeliver',
    ...own,
    summary: 'Send a delivery again, with the same webhook-id',
    params: idParams,
    body: z.object({ deliveryId: Id }),
    response: nothing,
    status: 204,
  }),
  test: route({
    method: 'POST',
    path: '/api/account/webhooks/:id/test',
    ...own,
    idempotent: true,
    summary: 'Send a delivery of the type test',
    params: idParams,
    response: Delivery,
    status: 201,
  }),
  replaceSecret: route({
    method: 'POST',
    path: '/api/account/webhooks/:id/secret',
    ...own,
    idempotent: true,
    needsProof: true,
    summary: 'Make a new secret. For a day we sign with the old one as well',
    params: idParams,
    response: Webhook.extend({ secret: z.string() }),
  }),
}
