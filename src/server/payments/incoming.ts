import type { Audit } from '../audit/audit-log.ts'
import type { Deps } from '../runtime/deps.ts'
import { createPaymentPoll } from './poll.ts'
import type { PaymentProvider } from './port/payment-provider.ts'
import { stripeSubscriptions } from './providers/stripe-subscriptions.ts'
import type { Settlement } from './settlement.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createReports, paymentReports } from './webhook-reports.ts'
import { createWebhooks } from './webhooks.ts'

type IncomingDeps = Pick<
  Deps,
  'db' | 'clock' | 'config' | 'events' | 'jobs' | 'keyring' | 'log'
> & {
  audit: Audit
  provider: () => PaymentProvider
  settlement: Settlement
}

export type Incoming = ReturnType<typeof createIncoming>

/** How we hear of money: what the provider reports, and what we ask it ourselves. */
export function createIncoming(deps: IncomingDeps) {
  const { settle } = deps.settlement
  const { stripe } = deps.config
  const recurring = stripe && stripeSubscriptions(stripe)
  const subscriptions = createSubscriptions({ ...deps, recurring })
  const readers = [paymentReports({ ...deps, settle }), subscriptions.read]
  const reports = createReports({ ...deps, readers })
  const poll = createPaymentPoll({ ...deps, settle, reports, subscriptions })
  return { webhooks: createWebhooks({ ...deps, reports }), reports, poll, subscriptions }
}
