import type { Audit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { paymentProvider } from '../payments/payments.ts'
import { expirySweep } from './expiry-sweep.ts'
import { endJob, startJob, stopJob } from './lifecycle-jobs.ts'
import { provisionJob } from './provision-job.ts'
import { createRenewals } from './renewals.ts'
import { createSales } from './sales.ts'

export type Provisioning = ReturnType<typeof createProvisioning>

/** From stock to a running server, and to its end: the jobs, and the acts that begin them. */
export function createProvisioning(deps: Deps & { audit: Audit }) {
  const provision = provisionJob(deps)
  const stop = stopJob(deps)
  const start = startJob(deps)
  const end = endJob(deps)
  const provider = paymentProvider(deps.config)
  const own = { ...deps, provider, provision, stop, start, end }
  return {
    jobs: { provision, stop, start, end },
    sales: createSales(own),
    renewals: createRenewals(own),
    /** What the clock does; to be called every few seconds. */
    sweep: expirySweep(own),
    /** Makes the kinds known to the workers of this process. */
    defineJobs() {
      deps.jobs.define(provision)
      deps.jobs.define(stop)
      deps.jobs.define(start)
      deps.jobs.define(end)
    },
  }
}
