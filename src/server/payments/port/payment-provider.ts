import type { PaymentWay } from '#shared/api/money/payment-methods.ts'
import type { PaymentState } from '#shared/api/money/payments.ts'
import type { PaymentMethod } from '#shared/api/shop/billing.ts'
import type { Cents } from '#shared/rules/money/money.ts'
import type { DISPUTE_STATES } from '../../db/schema/sales.ts'

/** What is to be paid. One attempt at one order is one payment, however often it is requested. */
export type Bill = {
  orderId: number
  /** Starts at 1; each checkout that expires is followed by the next attempt. */
  attempt: number
  amountCents: Cents
  currency: string
  description: string
  /** Where the provider sends the client after paying. */
  returnUrl: string
  /** When the bill stops being payable. */
  expiresAt: Date
  /** The way the buyer chose; absent: every way of the provider pays it. */
  way?: string
}

type Checkout = {
  /** The provider's own id of the payment. */
  paymentId: string
  /** The provider's payment page; absent if the client pays on our page or has nothing to do. */
  url?: string
  expiresAt?: Date
}

/**
 * What the provider knows of a payment. Money counts only when it is final: `receivedCents` stays 0
 * while it could still be reversed. Both sums only grow; money taken back by a bank is in
 * `disputes`, each of which only moves forward.
 */
export type PaymentFacts = {
  state: PaymentState
  receivedCents: Cents
  refundedCents: Cents
  /**
   * The amount seen so far, final or not; equals the amount received if the provider does not
   * report parts.
   */
  seenCents?: Cents
  disputes?: readonly DisputeFacts[]
}

/** Where the client claims the refund; absent if the provider sends it without a claim. */
export type Refund = { claimUrl: string }

/** A report whose signature is verified. It is a reason to ask the provider, not a fact. */
export type WebhookReport = {
  /** The same for every delivery of one report. */
  eventId: string
  type: string
  /** The payment or subscription the report is about; absent if it is not one of ours. */
  subject?: string
}

/** Confirmations of the network: how many there are, and how many make the money final. */
type Progress = { confirmations: number; needed: number }

type LookAhead = { needed: number; handedOut: number }

/** A payment provider (O1). Every failure of a provider is PAYMENT_UNAVAILABLE. */
export type PaymentProvider = {
  name: string
  /** What a buyer may choose of it, in the order in which it is offered. */
  ways: readonly PaymentWay[]
  /** True if a checkout is settled at once, without a call to the outside. */
  isInstant: boolean
  /** The client pays on our page, by `methods`; our page only links to the provider's. */
  isPaidHere?: true
  /** Idempotent: the same bill returns the same payment, even if the first answer was lost. */
  createCheckout(bill: Bill): Promise<Checkout>
  /** Undefined if the signature is not valid. */
  verifyWebhook(
    rawBody: Buffer,
    headers: Record<string, string | string[] | undefined>,
  ): Promise<WebhookReport | undefined>
  /** True if an operator confirms the money, so an order may wait for it without a limit. */
  isByHand?: true
  /** Asked every few seconds, because it cannot report what happens. */
  isWatchedClosely?: true
  /**
   * Ids of payments that money came for lately, however long they are over: their addresses never
   * stop taking it.
   */
  recent?(): Promise<readonly string[]>
  /** How far the money seen is confirmed; undefined while there is none. */
  progress?(paymentId: string): Promise<Progress | undefined>
  /** How many addresses in a row the operator's own wallet must look past; undefined without any. */
  lookAhead?(): Promise<LookAhead | undefined>
  /** Undefined if the provider has no API to ask. */
  fetchState: ((paymentId: string) => Promise<PaymentFacts>) | undefined
  /** The payment that a report's subject belongs to, if the report names only a part of it. */
  paymentOf?(subject: string): Promise<string | undefined>
  /** How to pay an open payment on our own page; empty if the provider has its own page. */
  methods(paymentId: string): Promise<PaymentMethod[]>
  /** Sends money back; undefined if this provider cannot. */
  refund: ((paymentId: string, amountCents: Cents) => Promise<Refund | undefined>) | undefined
  /** Describes in one sentence what answered. Fails if the keys or the address are wrong. */
  check(): Promise<string>
}

/** What the provider knows of a dispute, in which the payer's bank asks for the money back. */
export type DisputeFacts = {
  id: string
  cents: Cents
  state: (typeof DISPUTE_STATES)[number]
}
