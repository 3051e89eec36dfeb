import type Stripe from 'stripe'
import { z } from 'zod'
import type { Clock } from '../deps.ts'
import type { Bill, PaymentFacts, PaymentProvider, WebhookReport } from './payment-provider.ts'
import type { StripeConfig } from './provider-config.ts'
import { explained, ProviderError } from './provider-errors.ts'
import { ask, isStripeError, stripeClient } from './stripe-client.ts'

const MINUTE_MS = 60_000
/** A page of Stripe's lives at least 30 minutes from when it was made, and at most a day. */
const SHORTEST_MS = 31 * MINUTE_MS
const LONGEST_MS = 24 * 60 * MINUTE_MS - MINUTE_MS
/** So much longer than the bill that the same bill minutes later still makes the same request. */
const MARGIN_MS = 5 * MINUTE_MS
const TOLERANCE_S = 300
/** What is only read is asked for again by the next poll. */
const ONCE = { maxNetworkRetries: 0 }

/** Cards and what else the account offers, on Stripe's own page: no card number comes near us. */
export function stripeProvider(config: StripeConfig, clock: Clock): PaymentProvider {
  const client = stripeClient(config)

  const sessionWithMoney = async (id: string) => {
    const { checkout } = await client()
    return await ask('reading a checkout', () =>
      checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] }, ONCE),
    )
  }

  return {
    name: 'stripe',
    isInstant: false,

    async createCheckout(bill) {
      const { checkout } = await client()
      const params = sessionOf(bill, clock.now())
      const idempotencyKey = `order-${bill.orderId}-${bill.attempt}-${params.expires_at}`
      const session = await ask('making a checkout', () =>
        checkout.sessions.create(params, { idempotencyKey }),
      )
      const expiresAt = new Date(session.expires_at * 1000)
      return { paymentId: session.id, expiresAt, ...(session.url ? { url: session.url } : {}) }
    },

    verifyWebhook: async (rawBody, headers) =>
      readEvent(await client(), config.webhookSecret, clock.now(), {
        rawBody,
        signature: headers['stripe-signature'],
      }),

    async fetchState(id) {
      const session = await sessionWithMoney(id)
      const charge = chargeOf(session)
      const lost = charge?.disputed ? await lostDisputes(await client(), charge.id) : 0
      return factsOf(session, (charge?.amount_refunded ?? 0) + lost)
    },

    /** Refunds and disputes speak of the charge; the checkout is found by what it charged. */
    async paymentOf(subject) {
      if (!subject.startsWith('pi_')) return undefined
      const { checkout } = await client()
      const { data } = await ask('looking for a checkout', () =>
        checkout.sessions.list({ payment_intent: subject, limit: 1 }),
      )
      return data[0]?.id
    },

    methods: async () => [],

    /** The same amount of the same payment goes back once, also where the answer was lost. */
    async refund(id, amountCents) {
      const { payment_intent: intent } = await sessionWithMoney(id)
      if (!intent) throw new ProviderError('rejected', 'nothing was paid here')
      const payment_intent = typeof intent === 'string' ? intent : intent.id
      const idempotencyKey = `refund-${id}-${amountCents}`
      const { refunds } = await client()
      await ask('refunding', () =>
        refunds.create({ payment_intent, amount: amountCents }, { idempotencyKey }),
      )
      return undefined
    },

    check: () =>
      explained(async () => {
        const { balance } = await client()
        const { livemode } = await ask('reading the balance', () => balance.retrieve())
        return livemode ? 'Stripe answers. Real money moves.' : 'Stripe answers, in its test mode.'
      }, HINTS),
  }
}

const HINTS = {
  unreachable: 'Stripe does not answer. Check the connection of the server to the internet.',
  refused: 'Stripe refuses the key. Check STRIPE_SECRET_KEY.',
  missing: 'What answers is not Stripe. Check STRIPE_API_URL.',
  rejected: 'Stripe did not accept the request. Check the account in its dashboard.',
  confused: 'What answers is not Stripe. Check STRIPE_API_URL.',
}

/** Ends a little after the bill: what is paid in between is late, and never lost (O4). */
function sessionOf(bill: Bill, now: Date): Stripe.Checkout.SessionCreateParams {
  const soonest = now.getTime() + SHORTEST_MS
  const latest = now.getTime() + LONGEST_MS
  const ends = Math.min(latest, Math.max(soonest, bill.expiresAt.getTime() + MARGIN_MS))
  const metadata = { orderId: String(bill.orderId), attempt: String(bill.attempt) }
  return {
    mode: 'payment',
    client_reference_id: String(bill.orderId),
    metadata,
    payment_intent_data: { metadata, description: bill.description },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: bill.currency,
          unit_amount: bill.amountCents,
          product_data: { name: bill.description },
        },
      },
    ],
    success_url: bill.returnUrl,
    cancel_url: bill.returnUrl,
    expires_at: Math.floor(ends / 1000),
  }
}

type Session = Stripe.Checkout.Session

function intentOf({ payment_intent: intent }: Session): Stripe.PaymentIntent | undefined {
  return intent === null || typeof intent === 'string' ? undefined : intent
}

function chargeOf(session: Session): Stripe.Charge | undefined {
  const charge = intentOf(session)?.latest_charge
  return charge === undefined || charge === null || typeof charge === 'string' ? undefined : charge
}

function factsOf(session: Session, wentBack: number): PaymentFacts {
  const isPaid = session.status === 'complete' && session.payment_status !== 'unpaid'
  if (!isPaid) return { state: unpaidState(session), receivedCents: 0, refundedCents: 0 }
  const receivedCents = session.amount_total ?? 0
  const refundedCents = Math.min(receivedCents, wentBack)
  const isAllBack = receivedCents > 0 && refundedCents === receivedCents
  return { state: isAllBack ? 'refunded' : 'paid', receivedCents, refundedCents }
}

/** Complete and unpaid: a debit that takes days, until the bank says yes or no. */
function unpaidState(session: Session): PaymentFacts['state'] {
  if (session.status === 'expired') return 'expired'
  if (session.status !== 'complete') return 'pending'
  const state = intentOf(session)?.status
  return state === 'requires_payment_method' || state === 'canceled' ? 'failed' : 'confirming'
}

/** Money the bank took back for good; one that is still argued about is not lost. */
async function lostDisputes(stripe: Stripe, charge: string): Promise<number> {
  const { data } = await ask('reading disputes', () => stripe.disputes.list({ charge, limit: 10 }))
  return data.filter(({ status }) => status === 'lost').reduce((sum, { amount }) => sum + amount, 0)
}

const Subject = z.object({
  data: z.object({
    object: z.object({
      id: z.string().max(100).optional(),
      object: z.string(),
      payment_intent: z.string().max(100).nullish(),
    }),
  }),
})

function readEvent(
  stripe: Stripe,
  secret: string,
  now: Date,
  { rawBody, signature }: { rawBody: Buffer; signature: string | string[] | undefined },
): WebhookReport | undefined {
  if (typeof signature !== 'string' || isFromLater(signature, now)) return undefined
  try {
    const event = stripe.webhooks.constructEvent(
      rawBody,
      signature,
      secret,
      TOLERANCE_S,
      undefined,
      now.getTime(),
    )
    const subject = subjectOf(event)
    return { eventId: event.id, type: event.type, ...(subject ? { subject } : {}) }
  } catch (error) {
    // The signature is wrong or too old, or what it signs is no event.
    if (isStripeError(error) || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The library looks only for signatures that are too old. */
function isFromLater(signature: string, now: Date): boolean {
  const at = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1] ?? 0)
  return at > now.getTime() / 1000 + TOLERANCE_S
}

/** A charge or a dispute is known to us by what it was charged for. */
function subjectOf(event: Stripe.Event): string | undefined {
  const { object } = Subject.safeParse(event).data?.data ?? {}
  if (object?.object === 'charge' || object?.object === 'dispute') {
    return object.payment_intent ?? undefined
  }
  return object?.id
}
