import { and, desc, eq } from 'drizzle-orm'
import { type TrafficTerms, UNLIMITED } from '#shared/rules/network/traffic.ts'
import type { Db } from '../../db/database.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { serverTraffic } from '../../db/schema/traffic.ts'
import { saysPackage } from '../../orders/package-of-server.ts'

/** To be joined to a token: what its package grants, that of its last order or change. */
export const planOf = (db: Db) =>
  db
    .select({
      rateMbit: packages.rateMbit,
      trafficGb: packages.trafficGb,
      trafficCounts: packages.trafficCounts,
      slowMbit: packages.slowMbit,
    })
    .from(orders)
    .innerJoin(packages, eq(packages.id, orders.planId))
    .where(and(eq(orders.tokenId, tokens.id), saysPackage))
    .orderBy(desc(orders.id))
    .limit(1)
    .as('plan')

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
