import type { Cents } from '#shared/rules/money.ts'

export type PaymentState = 'pending' | 'paid' | 'failed' | 'refunded'

/** What is to be paid. The reference is our order: a second checkout of it is the same payment. */
export type Bill = { orderId: number; amountCents: Cents; currency: string; description: string }

export type Checkout = {
  /** The provider's own id of the payment. */
  paymentId: string
  state: PaymentState
  /** Where the client pays; absent where nothing is left to do. */
  url?: string
}

export type PaymentNews = { paymentId: string; state: PaymentState }

/** Somebody who takes money for us (O1). */
export type PaymentProvider = {
  name: string
  /** True where a checkout is settled at once and without a word to anybody outside. */
  isInstant: boolean
  createCheckout(bill: Bill): Promise<Checkout>
  /** What a webhook says, once it is proven to come from the provider; undefined where it is not. */
  verifyWebhook(
    rawBody: Buffer,
    headers: Record<string, string | undefined>,
  ): Promise<PaymentNews | undefined>
  fetchState(paymentId: string): Promise<PaymentState>
  refund(paymentId: string, amountCents: Cents): Promise<void>
}
