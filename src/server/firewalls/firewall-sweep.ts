import { and, asc, eq, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { firewalls } from '../db/schema/firewalls.ts'
import { instances } from '../db/schema/stock.ts'
import type { JobDeps } from '../runtime/deps.ts'
import { checkFirewall } from './server-firewall.ts'

/** As many in one go; the next ones come ten minutes later. */
const AT_ONCE = 300

/**
 * Looks at every server's firewall once a day, and once an hour at those that do not hold. What was
 * changed in Proxmox is set again where it is ours to keep.
 */
export function createFirewallSweep(deps: Pick<JobDeps, 'db' | 'clock' | 'hypervisors' | 'log'>) {
  const { db, clock, log } = deps
  return async (): Promise<void> => {
    const ago = (ms: number) => new Date(clock.now().getTime() - ms)
    const holds = sql`${firewalls.faults} = '[]'::jsonb`
    const isDue = or(
      isNull(firewalls.checkedAt),
      lt(firewalls.checkedAt, ago(DAY_MS)),
      and(sql`not ${holds}`, lt(firewalls.checkedAt, ago(HOUR_MS))),
    )
    const due = await db
      .select({ id: instances.id, clusterId: instances.clusterId })
      .from(instances)
      .leftJoin(firewalls, eq(firewalls.instanceId, instances.id))
      .where(
        and(
          isNotNull(instances.ownerId),
          isNull(instances.missingSince),
          ne(instances.status, 'creating'),
          isDue,
        ),
      )
      .orderBy(sql`${firewalls.checkedAt} asc nulls first`, asc(instances.id))
      .limit(AT_ONCE)
    const away = new Set<number>()
    for (const { id, clusterId } of due) {
      if (away.has(clusterId)) continue
      try {
        await checkFirewall(deps, id)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'CLUSTER_UNAVAILABLE') away.add(clusterId)
        log.warn({ err: error, instanceId: id }, 'the firewall of a server could not be looked at')
      }
    }
  }
}
