import type { PaymentMethod } from '#shared/api/shop/billing.ts'
import type { PaymentState } from '#shared/api/shop/payments.ts'
import type { Cents } from '#shared/rules/money/money.ts'
import type { DISPUTE_STATES } from '../../db/schema/sales.ts'

/** What is to be paid. One attempt of one order is one payment, however often it is asked for. */
export type Bill = {
  orderId: number
  /** 1 for the first; a checkout that ran out is followed by the next. */
  attempt: number
  amountCents: Cents
  currency: string
  description: string
  /** Where the client comes back to. */
  returnUrl: string
  /** Until when it can be paid. */
  expiresAt: Date
}

type Checkout = {
  /** The provider's own id of the payment. */
  paymentId: string
  /** The provider's page to pay on; absent where the client pays on ours, or has nothing to do. */
  url?: string
  expiresAt?: Date
}

/**
 * What the provider knows of a payment. Money counts only when it is final: `receivedCents` stays 0
 * while it could still be taken back. Both sums only grow; what a bank takes back is in `disputes`,
 * each of which only moves on.
 */
export type PaymentFacts = {
  state: PaymentState
  receivedCents: Cents
  refundedCents: Cents
  /** What was seen so far, final or not; as much as was received where the provider sees no parts. */
  seenCents?: Cents
  disputes?: readonly DisputeFacts[]
}

/** Where the client fetches what goes back; a provider that sends it by itself has none. */
export type Refund = { claimUrl: string }

/** A report that is proven to come from the provider. It is a reason to look, not a fact. */
export type WebhookReport = {
  /** The same for every delivery of the same report. */
  eventId: string
  type: string
  /** The payment or subscription it speaks of; absent where it is none of ours. */
  subject?: string
}

/** Somebody who takes money for us (O1). Every failure of theirs is PAYMENT_UNAVAILABLE. */
export type PaymentProvider = {
  name: string
  /** True where a checkout is settled at once and without a word to anybody outside. */
  isInstant: boolean
  /** The client pays on our page, by `methods`; the provider's own page is only linked there. */
  isPaidHere?: true
  /** The same bill twice is the same payment, also where the first answer was lost. */
  createCheckout(bill: Bill): Promise<Checkout>
  /** Undefined where the signature does not prove it. */
  verifyWebhook(
    rawBody: Buffer,
    headers: Record<string, string | string[] | undefined>,
  ): Promise<WebhookReport | undefined>
  /** Undefined where there is nobody to ask. */
  fetchState: ((paymentId: string) => Promise<PaymentFacts>) | undefined
  /** The payment that a report's subject is part of, where the report names only that part. */
  paymentOf?(subject: string): Promise<string | undefined>
  /** How to pay an open payment on our own page; none where the provider has a page of its own. */
  methods(paymentId: string): Promise<PaymentMethod[]>
  /** Sends money back; undefined where this provider cannot. */
  refund: ((paymentId: string, amountCents: Cents) => Promise<Refund | undefined>) | undefined
  /** One sentence on what answered. Fails where the keys or the address are wrong. */
  check(): Promise<string>
}

/** A payer's bank asks for money back; what the provider knows of it. */
export type DisputeFacts = {
  id: string
  cents: Cents
  state: (typeof DISPUTE_STATES)[number]
}
