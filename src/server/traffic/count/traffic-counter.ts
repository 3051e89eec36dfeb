import { createAudit } from '../../audit/audit-log.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import type { InventoryView } from '../../hypervisor/inventory-cache.ts'
import { inTurn } from '../../lib/async/in-turn.ts'
import type { Background } from '../../lib/background.ts'
import { type CountDeps, countTraffic } from './count-traffic.ts'
import { type Polls, pollsOf } from './polls.ts'

export type TrafficCounter = {
  /** From now on what every poll shows is counted. */
  start(): void
  stop(): void
}

type CounterDeps = Omit<CountDeps, 'audit'> & { hypervisors: Hypervisors; background: Background }

/**
 * Takes what the one poll shows. The sightings of the last poll are kept in memory: when a VM starts
 * anew, what its run before had counted by then is not lost.
 */
export function trafficCounter(deps: CounterDeps): TrafficCounter {
  const { clock, hypervisors, background } = deps
  const countDeps = { ...deps, audit: createAudit(clock) }
  const turns = inTurn()
  const clusters = new Map<number, Polls>()
  let unsubscribe: (() => void) | undefined

  const onPoll = (clusterId: number, { inventory, asOf, failure }: InventoryView): void => {
    if (failure || !inventory || !asOf) return
    const polls = clusters.get(clusterId) ?? pollsOf()
    clusters.set(clusterId, polls)
    if (!polls.see(inventory.vms, asOf.getTime())) return
    background.run('counting traffic', () =>
      turns(String(clusterId), async () => {
        await countTraffic(countDeps, clusterId, polls.take())
      }),
    )
  }

  return {
    start: () => {
      unsubscribe ??= hypervisors.onPoll(onPoll)
    },
    stop: () => {
      unsubscribe?.()
      unsubscribe = undefined
    },
  }
}
