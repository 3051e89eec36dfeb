import type { Audit } from '../audit/audit-log.ts'
import { createCheckouts } from '../payments/checkouts.ts'
import { lapseSweep } from '../payments/lapse.ts'
import { paymentProvider } from '../payments/providers/choose.ts'
import { refundJob } from '../payments/refund-job.ts'
import { createSettlement } from '../payments/settlement.ts'
import type { Deps } from '../runtime/deps.ts'
import { createFulfilment } from './fulfilment.ts'
import { createEndings } from './lifecycle/end-server.ts'
import { expirySweep } from './lifecycle/expiry-sweep.ts'
import { endJob, startJob, stopJob } from './lifecycle/lifecycle-jobs.ts'
import { createSuspensions } from './lifecycle/suspension.ts'
import { createTakenBack } from './lifecycle/taken-back.ts'
import { createPackageOrders } from './package-orders.ts'
import { provisionJob } from './provision/provision-job.ts'
import { createRenewals } from './renewals.ts'
import { createSales } from './sales.ts'
import { createUnpaidLimits } from './unpaid-limits.ts'

export type Provisioning = ReturnType<typeof createProvisioning>

/** From stock to a running server, and to its end: the jobs, and the acts that begin them. */
export function createProvisioning(deps: Deps & { audit: Audit }) {
  const provision = provisionJob(deps)
  const stop = stopJob(deps)
  const start = startJob(deps)
  const end = endJob(deps)
  const provider = paymentProvider(deps.config, deps.clock)
  const fulfil = createFulfilment({ ...deps, provision, start })
  const suspensions = createSuspensions({ ...deps, stop, start })
  const takenBack = createTakenBack({ ...deps, suspensions })
  const settlement = createSettlement({ ...deps, fulfil, takenBack })
  const checkouts = createCheckouts({ ...deps, provider, fulfil })
  const refund = refundJob({ ...deps, provider, settlement })
  const unpaid = createUnpaidLimits(deps)
  const own = { ...deps, provider, settlement, checkouts, unpaid, stop, start, end }
  return {
    jobs: { provision, stop, start, end, refund },
    provider,
    fulfil,
    settlement,
    checkouts,
    suspensions,
    endings: createEndings({ ...own, refund }),
    sales: createSales(own),
    renewals: createRenewals(own),
    packageOrders: createPackageOrders(own),
    /** What the clock does; to be called every few seconds. */
    sweep: expirySweep(own),
    /** What the clock does to orders nobody paid. */
    lapse: lapseSweep(own),
    /** Makes the kinds known to the workers of this process. */
    defineJobs() {
      deps.jobs.define(provision)
      deps.jobs.define(stop)
      deps.jobs.define(start)
      deps.jobs.define(end)
      deps.jobs.define(refund)
    },
  }
}
