import type Stripe from 'stripe'
import { z } from 'zod'
import type { WebhookReport } from '../port/payment-provider.ts'
import { isStripeError } from './stripe-client.ts'

const TOLERANCE_S = 300

/** The id detects repeated reports; its length is limited by what an index accepts. */
const Event = z.object({ id: z.string().min(1).max(255), type: z.string().min(1).max(255) })

const Subject = z.object({
  data: z.object({
    object: z.object({
      id: z.string().max(100).optional(),
      object: z.string(),
      payment_intent: z.string().max(100).nullish(),
    }),
  }),
})

/** Undefined if the signature is invalid or too old. */
export function readEvent(
  stripe: Stripe,
  secret: string,
  now: Date,
  { rawBody, signature }: { rawBody: Buffer; signature: string | string[] | undefined },
): WebhookReport | undefined {
  if (typeof signature !== 'string' || isFromLater(signature, now)) return undefined
  try {
    const signed: unknown = stripe.webhooks.constructEvent(
      rawBody,
      signature,
      secret,
      TOLERANCE_S,
      undefined,
      now.getTime(),
    )
    const event = Event.safeParse(signed).data
    if (!event) return undefined
    const subject = subjectOf(signed)
    return { eventId: event.id, type: event.type, ...(subject ? { subject } : {}) }
  } catch (error) {
    // The signature is wrong or too old, or the signed body is not an event.
    if (isStripeError(error) || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The library rejects only signatures that are too old, not those from the future. */
function isFromLater(signature: string, now: Date): boolean {
  const at = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1] ?? 0)
  return at > now.getTime() / 1000 + TOLERANCE_S
}

/** A charge or a dispute is identified by the payment it belongs to. */
function subjectOf(event: unknown): string | undefined {
  const { object } = Subject.safeParse(event).data?.data ?? {}
  if (object?.object === 'charge' || object?.object === 'dispute') {
    return object.payment_intent ?? undefined
  }
  return object?.id
}
