import type { Cents } from '#shared/rules/money/money.ts'

type NewSubscription = {
  tokenId: number
  userId: number
  priceId: string
  returnUrl: string
  /** The same for every repetition of the same request. */
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
  /** The token it was created for; undefined if another program created it. */
  tokenId: number | undefined
  userId: number | undefined
}

type SubscriptionCharge = { subscriptionId: string; paidCents: Cents; currency: string }

/** A provider that charges without the client and reports each charge. */
export type Recurring = {
  /** Returns the page on which the client agrees to be charged. */
  open(wanted: NewSubscription): Promise<string>
  read(id: string): Promise<SubscriptionFacts>
  /** Stops further charges; the paid term still runs to its end. */
  end(id: string): Promise<SubscriptionFacts>
  /** The amount an invoice charged and its subscription; undefined if it charged nothing. */
  charge(invoiceId: string): Promise<SubscriptionCharge | undefined>
}
