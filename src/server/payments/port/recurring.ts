import type { Cents } from '#shared/rules/money/money.ts'

type NewSubscription = {
  tokenId: number
  userId: number
  priceId: string
  returnUrl: string
  /** The same for every press of the button that means the same. */
  key: string
}

export type SubscriptionFacts = {
  providerSubscriptionId: string
  customerId: string | null
  priceId: string | null
  status: string
  currentPeriodStart: Date | null
  currentPeriodEnd: Date | null
  cancelAtPeriodEnd: boolean
  /** What it was made for; undefined where another program made it. */
  tokenId: number | undefined
  userId: number | undefined
}

type SubscriptionCharge = { subscriptionId: string; paidCents: Cents; currency: string }

/** A provider that charges by itself, and reports each charge. */
export type Recurring = {
  /** Returns where the client agrees to be charged. */
  open(wanted: NewSubscription): Promise<string>
  read(id: string): Promise<SubscriptionFacts>
  /** Charges no more; what is paid for lasts. */
  end(id: string): Promise<SubscriptionFacts>
  /** What an invoice charged, and for which subscription; undefined where it charged nothing. */
  charge(invoiceId: string): Promise<SubscriptionCharge | undefined>
}
