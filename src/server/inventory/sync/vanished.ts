import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Hypervisor } from '../../hypervisor/port/hypervisor.ts'

/**
 * Asked per round; the rest follows at the next poll. Revoked permissions could otherwise mean
 * thousands.
 */
const PER_ROUND = 50
const AT_ONCE = 3
/** How long until a VM that is only hidden from us is asked about again. */
const HIDDEN_MS = 5 * MINUTE_MS

/**
 * VM ids that are in use although the cluster does not list them for us, and since when we know.
 */
export type Hidden = { isFresh(vmId: number): boolean; add(vmId: number): void }

export function rememberHidden(now: () => number): { of(clusterId: number): Hidden } {
  const clusters = new Map<number, Map<number, number>>()
  return {
    of(clusterId) {
      const seen = clusters.get(clusterId) ?? new Map<number, number>()
      clusters.set(clusterId, seen)
      return {
        isFresh: (vmId) => now() - (seen.get(vmId) ?? Number.NEGATIVE_INFINITY) < HIDDEN_MS,
        add: (vmId) => void seen.set(vmId, now()),
      }
    },
  }
}

/**
 * The unlisted VMs that are gone. A list omits what we may not see, so only the cluster's answer
 * about the id itself counts; without an answer nothing is gone.
 */
export async function goneAmong(
  unlisted: readonly number[],
  hypervisor: Pick<Hypervisor, 'isGone'>,
  hidden: Hidden,
): Promise<Set<number>> {
  const gone = new Set<number>()
  const queue = unlisted.filter((vmId) => !hidden.isFresh(vmId)).slice(0, PER_ROUND)
  const ask = async () => {
    for (let vmId = queue.shift(); vmId !== undefined; vmId = queue.shift()) {
      if (await hypervisor.isGone(vmId)) gone.add(vmId)
      else hidden.add(vmId)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, ask))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
  return gone
}
