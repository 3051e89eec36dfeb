import type { Answered, Report } from './stand-in-server.ts'

type Dispute = { object: string; id: string; status: string; amount: number }

export type Session = {
  id: string
  mode: 'payment' | 'subscription'
  amount: number
  status: 'open' | 'complete' | 'expired'
  isPaid: boolean
  intent: { id: string; charge: string; status: string } | undefined
  refunded: number
  disputes: (Dispute & { payment_intent: string | undefined })[]
  subscription: string | undefined
  expiresAt: number
  /** The request that created it. */
  form: URLSearchParams
}

/** A checkout as Stripe returns it: related objects by id only. */
export const sessionBody = (session: Session) => ({
  object: 'checkout.session',
  id: session.id,
  mode: session.mode,
  status: session.status,
  payment_status: session.isPaid ? 'paid' : 'unpaid',
  amount_total: session.amount,
  currency: 'usd',
  url: session.status === 'open' ? `https://checkout.stripe.example/${session.id}` : null,
  expires_at: session.expiresAt,
  client_reference_id: session.form.get('client_reference_id'),
  subscription: session.subscription ?? null,
  metadata: metadataOf(session.form),
  payment_intent: session.intent?.id ?? null,
})

/** The same with its payment and charge expanded. */
export const unfoldedSession = (session: Session) => ({
  ...sessionBody(session),
  payment_intent: session.intent
    ? {
        object: 'payment_intent',
        id: session.intent.id,
        status: session.intent.status,
        latest_charge: {
          object: 'charge',
          id: session.intent.charge,
          amount_refunded: session.refunded,
          disputed: session.disputes.length > 0,
        },
      }
    : null,
})

const metadataOf = (form: URLSearchParams) => ({
  orderId: form.get('metadata[orderId]'),
  attempt: form.get('metadata[attempt]'),
})

type Subscription = {
  id: string
  customer: string
  price: string | null
  status: string
  starts: number
  ends: number
  cancelAtPeriodEnd: boolean
  metadata: Record<string, string>
}
type Invoice = {
  id: string
  subscription: string
  cents: number
  isPaid: boolean
  intent: string
  refunded: number
}

type DeskParts = {
  sessions: Map<string, Session>
  tell(type: string, object: object): Promise<Report>
  now(): number
  id(prefix: string): string
}

const MONTH_S = 30 * 86_400

/** Recurring payments: the result of a checkout in subscription mode. */
export function stripeSubscriptionDesk({ sessions, tell, now, id }: DeskParts) {
  const subscriptions = new Map<string, Subscription>()
  const invoices = new Map<string, Invoice>()

  const get = (which: string): Subscription => {
    const found = subscriptions.get(which)
    if (!found) throw new Error(`there is no subscription ${which}`)
    return found
  }
  const charge = (subscription: Subscription, cents: number, isPaid: boolean) => {
    const invoice: Invoice = {
      id: id('in'),
      subscription: subscription.id,
      cents,
      isPaid,
      intent: id('pi'),
      refunded: 0,
    }
    invoices.set(invoice.id, invoice)
    return tell(isPaid ? 'invoice.paid' : 'invoice.payment_failed', invoiceBody(invoice))
  }

  return {
    read(
      noun: string | undefined,
      which: string | undefined,
      query: URLSearchParams,
    ): Answered | undefined {
      const all = [...invoices.values()]
      if (noun === 'invoice_payments') {
        const of = query.get('invoice')
        const paidBy = query.get('payment[payment_intent]')
        const data = all
          .filter(({ id: one, intent, isPaid }) => isPaid && (one === of || intent === paidBy))
          .map(({ id: invoice, intent }) => ({ invoice, payment: { payment_intent: intent } }))
        return { status: 200, body: { object: 'list', data, has_more: false } }
      }
      const charged = noun === 'payment_intents' && all.find(({ intent }) => intent === which)
      if (charged) return { status: 200, body: intentBody(charged) }
      const subscription = noun === 'subscriptions' ? subscriptions.get(which ?? '') : undefined
      if (subscription) return { status: 200, body: subscriptionBody(subscription) }
      const invoice = noun === 'invoices' ? invoices.get(which ?? '') : undefined
      return invoice ? { status: 200, body: invoiceBody(invoice) } : undefined
    },

    write(path: string, form: URLSearchParams): Answered | undefined {
      const subscription = subscriptions.get(path.split('/')[3] ?? '')
      if (!path.startsWith('/v1/subscriptions/') || !subscription) return undefined
      subscription.cancelAtPeriodEnd = form.get('cancel_at_period_end') === 'true'
      return { status: 200, body: subscriptionBody(subscription) }
    },

    acts: {
      /** The client completes a checkout in subscription mode: the first month is charged. */
      async subscribe(sessionId: string, cents: number) {
        const session = sessions.get(sessionId)
        if (session?.mode !== 'subscription') throw new Error('no checkout of a subscription')
        const subscription: Subscription = {
          id: id('sub'),
          customer: id('cus'),
          price: session.form.get('line_items[0][price]'),
          status: 'active',
          starts: now(),
          ends: now() + MONTH_S,
          cancelAtPeriodEnd: false,
          metadata: Object.fromEntries(
            [...session.form].flatMap(([key, value]) => {
              const name = /^subscription_data\[metadata\]\[(\w+)\]$/.exec(key)?.[1]
              return name ? [[name, value]] : []
            }),
          ),
        }
        subscriptions.set(subscription.id, subscription)
        Object.assign(session, { status: 'complete', isPaid: true, amount: cents })
        session.subscription = subscription.id
        await tell('checkout.session.completed', sessionBody(session))
        await charge(subscription, cents, true)
        return subscription.id
      },
      /** The next month begins, and its charge succeeds or fails. */
      async nextMonth(which: string, cents: number, isPaid = true) {
        const subscription = get(which)
        subscription.starts = subscription.ends
        subscription.ends += MONTH_S
        subscription.status = isPaid ? 'active' : 'past_due'
        const report = await charge(subscription, cents, isPaid)
        await tell('customer.subscription.updated', subscriptionBody(subscription))
        return report
      },
      refundInvoice(which: string, cents: number) {
        const invoice = invoices.get(which)
        if (!invoice) throw new Error(`there is no invoice ${which}`)
        invoice.refunded += cents
        return tell('charge.refunded', { object: 'charge', payment_intent: invoice.intent })
      },
      endSubscription(which: string) {
        const subscription = Object.assign(get(which), { status: 'canceled' })
        return tell('customer.subscription.deleted', subscriptionBody(subscription))
      },
    },
  }
}

const subscriptionBody = (subscription: Subscription) => ({
  object: 'subscription',
  id: subscription.id,
  customer: subscription.customer,
  status: subscription.status,
  cancel_at_period_end: subscription.cancelAtPeriodEnd,
  metadata: subscription.metadata,
  items: {
    object: 'list',
    data: [
      {
        object: 'subscription_item',
        price: { object: 'price', id: subscription.price },
        current_period_start: subscription.starts,
        current_period_end: subscription.ends,
      },
    ],
  },
})

const intentBody = ({ intent, refunded }: Invoice) => ({
  object: 'payment_intent',
  id: intent,
  status: 'succeeded',
  latest_charge: {
    object: 'charge',
    id: `ch_${intent}`,
    amount_refunded: refunded,
    disputed: false,
  },
})

const invoiceBody = (invoice: Invoice) => ({
  object: 'invoice',
  id: invoice.id,
  status: invoice.isPaid ? 'paid' : 'open',
  amount_paid: invoice.isPaid ? invoice.cents : 0,
  currency: 'usd',
  parent: {
    type: 'subscription_details',
    subscription_details: { subscription: invoice.subscription },
  },
})
