import { createHmac, randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { type Answered, type Asked, reportLog, startStandIn } from './stand-in-server.ts'
import {
  type Session,
  sessionBody,
  stripeSubscriptionDesk,
  unfoldedSession,
} from './stripe-stand-in-objects.ts'

const MIN_AGE_S = 30 * 60
const MAX_AGE_S = 24 * 60 * 60
const SMALLEST_CENTS = 50

type Options = { clock?: Clock; secretKey?: string; webhookSecret?: string }
export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>

const id = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`
const refusal = (status: number, type: string, message: string): Answered => ({
  status,
  body: { error: { type, message } },
})
const invalid = (message: string) => refusal(400, 'invalid_request_error', message)

/**
 * Stripe, limited to what we use: checkouts, refunds, disputes, subscriptions and signed events.
 */
export async function startStripe(options: Options = {}) {
  const { clock = systemClock, secretKey = 'sk_test_stand_in' } = options
  const { webhookSecret = 'whsec_stand_in' } = options
  const sessions = new Map<string, Session>()
  const replies = new Map<string, { request: string; answer: Answered }>()
  const now = () => Math.floor(clock.now().getTime() / 1000)

  const sign = (payload: string, at = now()) => ({ 'stripe-signature': signed(payload, at) })
  const signed = (payload: string, at: number) =>
    `t=${at},v1=${createHmac('sha256', webhookSecret).update(`${at}.${payload}`).digest('hex')}`
  const log = reportLog((payload) => sign(payload))
  const tell = (type: string, object: object) =>
    log.add({ id: id('evt'), object: 'event', type, created: now(), data: { object } })

  const desk = stripeSubscriptionDesk({ sessions, tell, now, id })

  const create = (form: URLSearchParams): Answered => {
    const isSubscription = form.get('mode') === 'subscription'
    const amount = Number(form.get('line_items[0][price_data][unit_amount]'))
    const age = Number(form.get('expires_at') ?? now() + MAX_AGE_S) - now()
    if (!isSubscription && !(Number.isInteger(amount) && amount >= SMALLEST_CENTS)) {
      return invalid('The amount is too small.')
    }
    if (age < MIN_AGE_S || age > MAX_AGE_S) return invalid('expires_at is out of bounds.')
    const session: Session = {
      id: id('cs_test'),
      mode: isSubscription ? 'subscription' : 'payment',
      amount,
      status: 'open',
      isPaid: false,
      intent: undefined,
      refunded: 0,
      disputes: [],
      subscription: undefined,
      expiresAt: now() + age,
      form,
    }
    sessions.set(session.id, session)
    return { status: 200, body: sessionBody(session) }
  }

  const refund = (form: URLSearchParams): Answered => {
    const session = [...sessions.values()].find(
      ({ intent }) => intent?.id === form.get('payment_intent'),
    )
    const cents = Number(form.get('amount'))
    if (!session?.isPaid || session.refunded + cents > session.amount) {
      return invalid('Refund amount is greater than unrefunded amount on charge.')
    }
    session.refunded += cents
    return { status: 200, body: { id: id('re'), object: 'refund', amount: cents } }
  }

  /** The same idempotency key returns the same answer; with a different request it is refused. */
  const once = (asked: Asked, work: () => Answered): Answered => {
    const key = String(asked.headers['idempotency-key'] ?? id('none'))
    const request = `${asked.path} ${asked.body}`
    const known = replies.get(key)
    if (known && known.request !== request) {
      return refusal(400, 'idempotency_error', 'Keys can only be used with the same parameters.')
    }
    const answer = known?.answer ?? work()
    replies.set(key, { request, answer })
    return answer
  }

  const read = ({ path, query }: Asked): Answered => {
    const [, , noun, which, name] = path.split('/')
    if (noun === 'balance') return { status: 200, body: { object: 'balance', livemode: false } }
    if (noun === 'disputes') return { status: 200, body: list(disputesOf(query.get('charge'))) }
    if (noun === 'checkout' && which === 'sessions' && name === undefined) {
      const intent = query.get('payment_intent')
      const found = [...sessions.values()].filter((session) => session.intent?.id === intent)
      return { status: 200, body: list(found.map(sessionBody)) }
    }
    const session = noun === 'checkout' ? sessions.get(name ?? '') : undefined
    if (session) {
      const isUnfolded = query.get('expand[0]') === 'payment_intent.latest_charge'
      return { status: 200, body: isUnfolded ? unfoldedSession(session) : sessionBody(session) }
    }
    return desk.read(noun, which, query) ?? refusal(404, 'invalid_request_error', 'No such object.')
  }

  const disputesOf = (charge: string | null) =>
    [...sessions.values()].find(({ intent }) => intent?.charge === charge)?.disputes ?? []

  const server = await startStandIn((asked, { refusesKey }) => {
    const { authorization } = asked.headers
    if (refusesKey || authorization !== `Bearer ${secretKey}`) {
      // Stripe masks most of the key; the code must not depend on that.
      return refusal(401, 'invalid_request_error', `Invalid API Key provided: ${authorization}`)
    }
    if (asked.method === 'GET') return read(asked)
    const form = new URLSearchParams(asked.body)
    if (asked.path === '/v1/checkout/sessions') return once(asked, () => create(form))
    if (asked.path === '/v1/refunds') return once(asked, () => refund(form))
    return once(asked, () => desk.write(asked.path, form) ?? invalid('Unknown call.'))
  })

  const get = (which: string): Session => {
    const session = sessions.get(which)
    if (!session) throw new Error(`there is no checkout ${which}`)
    return session
  }
  const change = (which: string, type: string, values: Partial<Session>) => {
    const session = Object.assign(get(which), values)
    return tell(type, sessionBody(session))
  }
  const newIntent = (status: string) => ({ id: id('pi'), charge: id('ch'), status })
  const charge = ({ amount, refunded, intent }: Session) => ({
    object: 'charge',
    id: intent?.charge,
    amount,
    amount_refunded: refunded,
    payment_intent: intent?.id,
  })

  return {
    ...server,
    ...desk.acts,
    env: {
      PAYMENT_PROVIDER: 'stripe',
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_URL: server.url,
    },
    sessions,
    reports: log.reports,
    deliverTo: log.deliverTo,
    sign,
    /** The client pays by card. */
    pay: (which: string) =>
      change(which, 'checkout.session.completed', {
        status: 'complete',
        isPaid: true,
        intent: newIntent('succeeded'),
      }),
    /** The client pays by direct debit, which takes days. */
    debit: (which: string) =>
      change(which, 'checkout.session.completed', {
        status: 'complete',
        intent: newIntent('processing'),
      }),
    clear: (which: string) => {
      const intent = { ...(get(which).intent ?? newIntent('')), status: 'succeeded' }
      return change(which, 'checkout.session.async_payment_succeeded', { isPaid: true, intent })
    },
    bounce: (which: string) => {
      const intent = { ...(get(which).intent ?? newIntent('')), status: 'requires_payment_method' }
      return change(which, 'checkout.session.async_payment_failed', { intent })
    },
    expire: (which: string) => change(which, 'checkout.session.expired', { status: 'expired' }),
    /** A refund made by hand in the dashboard. */
    sendBack(which: string, cents: number) {
      const session = get(which)
      session.refunded += cents
      return tell('charge.refunded', charge(session))
    },
    dispute(which: string) {
      const session = get(which)
      const dispute = { object: 'dispute', id: id('dp'), status: 'needs_response' }
      const facts = { amount: session.amount, payment_intent: session.intent?.id }
      session.disputes.push({ ...dispute, ...facts })
      return tell('charge.dispute.created', { ...dispute, ...facts })
    },
    winDisputes(which: string) {
      const session = get(which)
      session.disputes = session.disputes.map((dispute) => ({ ...dispute, status: 'won' }))
      return tell('charge.dispute.closed', session.disputes.at(-1) ?? {})
    },
    loseDisputes(which: string) {
      const session = get(which)
      session.disputes = session.disputes.map((dispute) => ({ ...dispute, status: 'lost' }))
      return tell('charge.dispute.closed', session.disputes.at(-1) ?? {})
    },
  }
}

const list = (data: unknown[]) => ({ object: 'list', data, has_more: false })
