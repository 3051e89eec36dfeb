import type Stripe from 'stripe'
import type { DisputeFacts, PaymentFacts } from '../port/payment-provider.ts'
import { ProviderError } from '../port/provider-errors.ts'
import { ask } from './stripe-client.ts'

/** Reads are not retried: the next poll asks again. */
const ONCE = { maxNetworkRetries: 0 }

/** A payment is identified by its checkout, or, for a subscription, by the invoice it charged. */
const isInvoice = (id: string): boolean => id.startsWith('in_')

export const readFacts = (stripe: Stripe, id: string): Promise<PaymentFacts> =>
  understood(() => (isInvoice(id) ? invoiceFacts(stripe, id) : checkoutFacts(stripe, id)))

/**
 * The library returns any body typed as if it were valid: a proxy's page, null, text instead of
 * money.
 */
async function understood(read: () => Promise<PaymentFacts>): Promise<PaymentFacts> {
  try {
    const facts = await read()
    const isMoney = [facts.receivedCents, facts.refundedCents].every(
      (cents) => Number.isSafeInteger(cents) && cents >= 0,
    )
    if (isMoney) return facts
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  throw new ProviderError('confused', "Stripe's answer about a payment is not as expected")
}

async function checkoutFacts(stripe: Stripe, id: string): Promise<PaymentFacts> {
  const session = await readSession(stripe, id)
  return factsOf(session, await takenBack(stripe, intentOf(session)))
}

async function invoiceFacts(stripe: Stripe, id: string): Promise<PaymentFacts> {
  const { status, amount_paid } = await ask('reading an invoice', () =>
    stripe.invoices.retrieve(id, {}, ONCE),
  )
  if (status !== 'paid') return { state: 'pending', receivedCents: 0, refundedCents: 0 }
  const intentId = await intentOfInvoice(stripe, id)
  const intent = intentId === undefined ? undefined : await readIntent(stripe, intentId)
  return paidFacts(amount_paid, await takenBack(stripe, intent))
}

const readSession = ({ checkout }: Stripe, id: string) =>
  ask('reading a checkout', () =>
    checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] }, ONCE),
  )

const readIntent = ({ paymentIntents }: Stripe, id: string) =>
  ask('reading a payment', () => paymentIntents.retrieve(id, { expand: ['latest_charge'] }, ONCE))

async function intentOfInvoice({ invoicePayments }: Stripe, invoice: string) {
  const { data } = await ask('reading the payments of an invoice', () =>
    invoicePayments.list({ invoice, status: 'paid', limit: 1 }, ONCE),
  )
  const intent = data[0]?.payment.payment_intent
  return typeof intent === 'string' ? intent : intent?.id
}

/** The charge of this payment; undefined if nothing was charged. */
export async function chargedFor(stripe: Stripe, id: string): Promise<string | undefined> {
  if (isInvoice(id)) return await intentOfInvoice(stripe, id)
  const { payment_intent: intent } = await readSession(stripe, id)
  return typeof intent === 'string' ? intent : intent?.id
}

/** The reverse lookup: refunds and disputes name only the charge. */
export async function paymentCharged(stripe: Stripe, intent: string): Promise<string | undefined> {
  const sessions = await ask('looking for a checkout', () =>
    stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 }, ONCE),
  )
  if (sessions.data[0]) return sessions.data[0].id
  const payment = { type: 'payment_intent', payment_intent: intent } as const
  const { data } = await ask('looking for an invoice', () =>
    stripe.invoicePayments.list({ payment, limit: 1 }, ONCE),
  )
  const invoice = data[0]?.invoice
  return typeof invoice === 'string' ? invoice : invoice?.id
}

type Session = Stripe.Checkout.Session

function intentOf({ payment_intent: intent }: Session): Stripe.PaymentIntent | undefined {
  return intent === null || typeof intent === 'string' ? undefined : intent
}

type TakenBack = { refunded: number; disputes: DisputeFacts[] }

function factsOf(session: Session, back: TakenBack): PaymentFacts {
  const isPaid = session.status === 'complete' && session.payment_status !== 'unpaid'
  if (isPaid) return paidFacts(session.amount_total ?? 0, back)
  return { state: unpaidState(session), receivedCents: 0, refundedCents: 0 }
}

function paidFacts(receivedCents: number, { refunded, disputes }: TakenBack): PaymentFacts {
  const refundedCents = Math.min(receivedCents, refunded)
  const isAllBack = receivedCents > 0 && refundedCents === receivedCents
  return { state: isAllBack ? 'refunded' : 'paid', receivedCents, refundedCents, disputes }
}

/** Complete but unpaid: a direct debit takes days until the bank accepts or declines it. */
function unpaidState(session: Session): PaymentFacts['state'] {
  if (session.status === 'expired') return 'expired'
  if (session.status !== 'complete') return 'pending'
  const state = intentOf(session)?.status
  return state === 'requires_payment_method' || state === 'canceled' ? 'failed' : 'confirming'
}

async function takenBack(
  stripe: Stripe,
  intent: Stripe.PaymentIntent | undefined,
): Promise<TakenBack> {
  const charge = intent?.latest_charge
  if (!charge || typeof charge === 'string') return { refunded: 0, disputes: [] }
  const disputes = charge.disputed ? await disputesOf(stripe, charge.id) : []
  return { refunded: charge.amount_refunded, disputes }
}

async function disputesOf(stripe: Stripe, charge: string): Promise<DisputeFacts[]> {
  const { data } = await ask('reading disputes', () =>
    stripe.disputes.list({ charge, limit: 10 }, ONCE),
  )
  return data.flatMap(({ id, amount: cents, status }) => {
    const state = stateOfDispute(status)
    return state === undefined ? [] : [{ id, cents, state }]
  })
}

/** An inquiry of the bank moves no money, and an open dispute is not lost yet. */
function stateOfDispute(status: string): DisputeFacts['state'] | undefined {
  if (status === 'lost' || status === 'won') return status
  return status === 'needs_response' || status === 'under_review' ? 'open' : undefined
}
