import type Stripe from 'stripe'
import type { StripeConfig } from '../../config/provider-config.ts'
import type { Recurring, SubscriptionFacts } from '../port/recurring.ts'
import { ask, stripeClient } from './stripe-client.ts'

/** Subscriptions at Stripe. */
export function stripeSubscriptions(config: StripeConfig): Recurring {
  const client = stripeClient(config)
  return {
    async open({ tokenId, userId, priceId, returnUrl, key }) {
      const { checkout } = await client()
      const metadata = { tokenId: String(tokenId), userId: String(userId) }
      const { url } = await ask('opening a subscription', () =>
        checkout.sessions.create(
          {
            mode: 'subscription',
            line_items: [{ price: priceId, quantity: 1 }],
            client_reference_id: `token-${tokenId}`,
            metadata,
            subscription_data: { metadata },
            success_url: returnUrl,
            cancel_url: returnUrl,
          },
          { idempotencyKey: key },
        ),
      )
      return url ?? returnUrl
    },

    async read(id) {
      const { subscriptions } = await client()
      return toFacts(await ask('reading a subscription', () => subscriptions.retrieve(id)))
    },

    async end(id) {
      const { subscriptions } = await client()
      const change = { cancel_at_period_end: true }
      return toFacts(await ask('ending a subscription', () => subscriptions.update(id, change)))
    },

    async charge(invoiceId) {
      const { invoices } = await client()
      const invoice = await ask('reading an invoice', () => invoices.retrieve(invoiceId))
      const subscription = invoice.parent?.subscription_details?.subscription
      if (!subscription) return undefined
      const subscriptionId = typeof subscription === 'string' ? subscription : subscription.id
      const paidCents = invoice.status === 'paid' ? invoice.amount_paid : 0
      return { subscriptionId, paidCents, currency: invoice.currency }
    },
  }
}

function toFacts(subscription: Stripe.Subscription): SubscriptionFacts {
  const { customer, metadata } = subscription
  const [item] = subscription.items.data
  return {
    providerSubscriptionId: subscription.id,
    customerId: typeof customer === 'string' ? customer : customer.id,
    priceId: item?.price.id ?? null,
    status: subscription.status,
    currentPeriodStart: item ? new Date(item.current_period_start * 1000) : null,
    currentPeriodEnd: item ? new Date(item.current_period_end * 1000) : null,
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    tokenId: idIn(metadata.tokenId),
    userId: idIn(metadata.userId),
  }
}

const idIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
