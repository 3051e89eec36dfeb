import type Stripe from 'stripe'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { StripeConfig } from '../../config/provider-config.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Bill, PaymentProvider } from '../port/payment-provider.ts'
import { explained, ProviderError } from '../port/provider-errors.ts'
import { ask, stripeClient } from './stripe-client.ts'
import { chargedFor, paymentCharged, readFacts } from './stripe-facts.ts'
import { readEvent } from './stripe-webhook.ts'

/** A Stripe checkout lives at least 30 minutes from its creation, and at most a day. */
const SHORTEST_MS = 31 * MINUTE_MS
const LONGEST_MS = DAY_MS - MINUTE_MS
/**
 * How much longer than the bill the checkout lives, so that the same bill minutes later still makes
 * an identical request.
 */
const MARGIN_MS = 5 * MINUTE_MS

/**
 * Cards and the account's other methods, on Stripe's own page: no card number reaches this server.
 */
export function stripeProvider(config: StripeConfig, clock: Clock): PaymentProvider {
  const client = stripeClient(config)

  return {
    name: 'stripe',
    ways: [{ id: 'card', name: 'Card', kind: 'card' }],
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

    fetchState: async (id) => readFacts(await client(), id),

    paymentOf: async (subject) =>
      subject.startsWith('pi_') ? paymentCharged(await client(), subject) : undefined,

    methods: async () => [],

    /** Refunds the same amount of the same payment only once, even if the answer was lost. */
    async refund(id, amountCents) {
      const stripe = await client()
      const payment_intent = await chargedFor(stripe, id)
      if (payment_intent === undefined) throw new ProviderError('rejected', 'nothing was paid here')
      const idempotencyKey = `refund-${id}-${amountCents}`
      await ask('refunding', () =>
        stripe.refunds.create({ payment_intent, amount: amountCents }, { idempotencyKey }),
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

/** Expires a little after the bill: a payment in between is late, but never lost (O4). */
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
