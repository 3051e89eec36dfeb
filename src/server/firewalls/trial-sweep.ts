import { and, asc, eq, gt, isNotNull, isNull, lt, notInArray, or } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { firewalls } from '../db/schema/firewalls.ts'
import { instances } from '../db/schema/stock.ts'
import type { JobDeps } from '../runtime/deps.ts'
import { publishTokenChange } from '../tokens/publish-token-change.ts'
import { checkFirewall } from './server-firewall.ts'
import { isOver, takeBack } from './trial.ts'

const AT_ONCE = 100
/** A cluster that answers and does not take it is asked again so much later. */
const RETRY_MS = 10_000

type SweepDeps = Pick<JobDeps, 'db' | 'clock' | 'hypervisors' | 'events' | 'audit' | 'log'>

/**
 * Takes back the rules that were not confirmed in time, and writes whatever a cluster does not have
 * yet, until it has it. All of it is in the database: any process goes on where another one died.
 */
export function createTrialSweep(deps: SweepDeps) {
  return async (): Promise<void> => {
    await endTrials(deps)
    await writeUnapplied(deps)
  }
}

async function endTrials({ db, clock, audit, events }: SweepDeps): Promise<void> {
  const now = clock.now()
  const over = await db
    .select({ id: firewalls.instanceId, ownerId: instances.ownerId })
    .from(firewalls)
    .innerJoin(instances, eq(instances.id, firewalls.instanceId))
    .where(and(isNotNull(firewalls.trial), isOver(now)))
    .limit(AT_ONCE)
  for (const { id, ownerId } of over) {
    await db.transaction(async (tx) => {
      // Of several processes, and of a press in the same moment, one ends it.
      const ended = await takeBack(tx, and(eq(firewalls.instanceId, id), isOver(now)), now)
      if (ended.length === 0) return
      const target = `instance:${id}`
      await audit.record(tx, undefined, { action: 'instance.firewall-reverted', target })
      await publishTokenChange(tx, events, ownerId)
    })
  }
}

async function writeUnapplied(deps: SweepDeps): Promise<void> {
  const { db, clock, log, events } = deps
  const now = clock.now()
  const isDue = or(
    isNull(firewalls.checkedAt),
    lt(firewalls.checkedAt, new Date(now.getTime() - RETRY_MS)),
    gt(firewalls.checkedAt, now),
  )
  const unapplied = await db
    .select({
      id: instances.id,
      clusterId: instances.clusterId,
      ownerId: instances.ownerId,
    })
    .from(firewalls)
    .innerJoin(instances, eq(instances.id, firewalls.instanceId))
    .where(
      and(
        gt(firewalls.version, firewalls.appliedVersion),
        isDue,
        isNull(instances.missingSince),
        notInArray(instances.status, ['creating', 'deleting']),
      ),
    )
    .orderBy(asc(instances.id))
    .limit(AT_ONCE)
  const away = new Set<number>()
  for (const { id, clusterId, ownerId } of unapplied) {
    if (away.has(clusterId)) continue
    try {
      await checkFirewall(deps, id)
      await publishTokenChange(db, events, ownerId)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'CLUSTER_UNAVAILABLE') away.add(clusterId)
      log.warn({ err: error, instanceId: id }, 'the firewall of a server could not be set')
    }
  }
}
