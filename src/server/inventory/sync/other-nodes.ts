import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import type { Clock } from '../../lib/clock.ts'

const EVERY_MS = 10 * MINUTE_MS

/**
 * Every process looks for the other nodes of a cluster now and then; they are stored for the next
 * start, when the configured node may be unreachable.
 */
export function otherNodes({
  db,
  clock,
  hypervisors,
}: {
  db: Db
  clock: Clock
  hypervisors: Hypervisors
}) {
  const lastLooked = new Map<number, number>()
  return {
    async look(clusterId: number): Promise<void> {
      const now = clock.now().getTime()
      const handle = hypervisors.all().get(clusterId)
      if (!handle || now - (lastLooked.get(clusterId) ?? Number.NEGATIVE_INFINITY) < EVERY_MS)
        return
      lastLooked.set(clusterId, now)
      try {
        const otherHosts = await handle.hypervisor.findOtherHosts()
        const isOther = sql`${clusters.otherHosts} <> ${JSON.stringify(otherHosts)}::jsonb`
        await db
          .update(clusters)
          .set({ otherHosts })
          .where(and(eq(clusters.id, clusterId), isOther))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
      }
    },
  }
}
