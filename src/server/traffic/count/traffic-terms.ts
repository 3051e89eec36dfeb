import { type TrafficTerms, UNLIMITED } from '#shared/rules/network/traffic.ts'
import { tokens } from '../../db/schema/stock.ts'
import { serverTraffic } from '../../db/schema/traffic.ts'
import type { planOf } from '../../orders/package-of-server.ts'

/**
 * Drizzle takes a joined row for absent if the first of its columns is null: the first ones here
 * never are.
 */
export const planColumns = (plan: ReturnType<typeof planOf>) => ({
  slowMbit: plan.slowMbit,
  trafficCounts: plan.trafficCounts,
  rateMbit: plan.rateMbit,
  trafficGb: plan.trafficGb,
})

/** What has passed in its period. */
export const passedColumns = {
  inBytes: serverTraffic.inBytes,
  outBytes: serverTraffic.outBytes,
  periodFrom: serverTraffic.periodFrom,
  periodTo: serverTraffic.periodTo,
}

export const termColumns = {
  durationDays: tokens.durationDays,
  assignedAt: tokens.assignedAt,
  expiresAt: tokens.expiresAt,
}

type PlanRow = { [Term in keyof TrafficTerms]: TrafficTerms[Term] | null }

/** A server without a package is not limited. */
export const termsOf = (plan: PlanRow | null): TrafficTerms => ({
  rateMbit: plan?.rateMbit ?? UNLIMITED.rateMbit,
  trafficGb: plan?.trafficGb ?? UNLIMITED.trafficGb,
  trafficCounts: plan?.trafficCounts ?? UNLIMITED.trafficCounts,
  slowMbit: plan?.slowMbit ?? UNLIMITED.slowMbit,
})
