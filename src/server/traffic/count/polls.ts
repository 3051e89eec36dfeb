import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { InventoryVm } from '../../hypervisor/port/hypervisor.ts'
import { isSameRun, type Sighting } from './sighting.ts'

/** Counters only grow while a VM runs, so a look per minute is enough; a restart is seen at once. */
const COUNT_MS = MINUTE_MS

type SeenVm = Pick<InventoryVm, 'vmId' | 'uptime' | 'netIn' | 'netOut'>

export type Polls = ReturnType<typeof pollsOf>

/** What was seen of one cluster since it was last counted. */
export function pollsOf() {
  let latest = new Map<number, Sighting>()
  /** The last sightings of runs that have ended. */
  let ended = new Map<number, Sighting[]>()
  let countedAt = Number.NEGATIVE_INFINITY

  return {
    /** True if it is time to count. */
    see(vms: readonly SeenVm[], at: number): boolean {
      const now = new Map(vms.flatMap((vm) => entryOf(vm, at)))
      for (const [vmId, next] of now) {
        const last = latest.get(vmId)
        if (!last || isSameRun(last, next)) continue
        ended.set(vmId, [...(ended.get(vmId) ?? []), last])
      }
      latest = now
      if (ended.size === 0 && Math.abs(at - countedAt) < COUNT_MS) return false
      countedAt = at
      return true
    },
    take(): Map<number, Sighting[]> {
      const before = ended
      ended = new Map()
      return new Map([...latest].map(([vmId, seen]) => [vmId, [...(before.get(vmId) ?? []), seen]]))
    },
  }
}

/** Nothing of a VM whose node is not heard: its figures are not known. */
function entryOf({ vmId, uptime, netIn, netOut }: SeenVm, at: number): [number, Sighting][] {
  if (netIn === undefined || netOut === undefined) return []
  return [[vmId, { at, uptime, in: netIn, out: netOut }]]
}
