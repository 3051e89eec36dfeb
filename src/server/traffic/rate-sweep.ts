import { and, eq, isNotNull, isNull, ne } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { instances } from '../db/schema/stock.ts'
import { serverRates } from '../db/schema/traffic.ts'
import type { JobDeps } from '../runtime/deps.ts'
import { keepRate, type RatedServer, ratedServers, wantedRate } from './server-rate.ts'

/** As many in one go; the rest follows. */
const AT_ONCE = 200
const RETRY_MS = 2 * MINUTE_MS

/**
 * Slows servers that have used their traffic up, and gives them their rate back in the next period
 * or with a larger quota. What was changed in Proxmox is set again within a day.
 */
export function createRateSweep(deps: Pick<JobDeps, 'db' | 'clock' | 'hypervisors' | 'log'>) {
  const { db, clock, log } = deps
  return async (): Promise<void> => {
    const now = clock.now()
    const servers = await ratedServers(db).where(
      and(
        isNotNull(instances.ownerId),
        isNotNull(instances.marker),
        isNull(instances.missingSince),
        ne(instances.status, 'creating'),
      ),
    )
    const away = new Set<number>()
    for (const { instance } of servers.filter((server) => isDue(server, now)).slice(0, AT_ONCE)) {
      if (away.has(instance.clusterId)) continue
      try {
        await keepRate(deps, instance.id)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'CLUSTER_UNAVAILABLE') away.add(instance.clusterId)
        const failedAt = clock.now()
        await db
          .update(serverRates)
          .set({ failedAt })
          .where(eq(serverRates.instanceId, instance.id))
        log.warn({ err: error, instanceId: instance.id }, 'the rate of a server could not be set')
      }
    }
  }
}

function isDue(server: RatedServer, now: Date): boolean {
  const { rate } = server
  const wanted = wantedRate(server, now)
  if (rate === null || rate.rateMbit === null) return wanted !== null
  const ago = (at: Date) => now.getTime() - at.getTime()
  if (rate.failedAt !== null && ago(rate.failedAt) < RETRY_MS) return false
  if (rate.setAt === null || rate.rateMbit !== wanted) return true
  return wanted !== null && ago(rate.setAt) > DAY_MS
}
