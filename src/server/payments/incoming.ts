import type { Deps } from '../deps.ts'
import type { PaymentProvider } from './payment-provider.ts'
import { createPaymentPoll } from './poll.ts'
import type { Settlement } from './settlement.ts'
import { createReports, paymentReports } from './webhook-reports.ts'
import { createWebhooks } from './webhooks.ts'

type IncomingDeps = Pick<Deps, 'db' | 'clock' | 'jobs' | 'keyring' | 'log'> & {
  provider: () => PaymentProvider
  settlement: Pick<Settlement, 'settle'>
}

export type Incoming = ReturnType<typeof createIncoming>

/** How we hear of money: what the provider reports, and what we ask it ourselves. */
export function createIncoming(deps: IncomingDeps) {
  const { settle } = deps.settlement
  const reports = createReports({ ...deps, readers: [paymentReports({ ...deps, settle })] })
  return {
    webhooks: createWebhooks({ ...deps, reports }),
    poll: createPaymentPoll({ ...deps, settle, reports }),
  }
}
