import type { z } from 'zod'
import type { Instance } from '#shared/api/servers/instances.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import type { CachedVm } from '../../hypervisor/inventory-cache.ts'
import type { Clock } from '../../lib/clock.ts'
import { writtenOnce } from '../../lib/written-once.ts'
import { isHeld } from '../vm/acts-under-way.ts'
import type { JoinedInstance } from './instance-rows.ts'
import { suspensionOf } from './suspended.ts'

/** The current state of an instance, and since when it is known. */
export type LiveState = {
  status: string
  uptime: number
  cpuUsage: number | null
  memoryUsed: number | null
  lastUpdated: Date | null
}

export type LiveDeps = { hypervisors: Hypervisors; clock: Clock }
type Known = Pick<
  JoinedInstance,
  | 'clusterId'
  | 'vmId'
  | 'status'
  | 'uptime'
  | 'cpuUsage'
  | 'memoryUsed'
  | 'missingSince'
  | 'lastUpdated'
>

/**
 * Overlays the row with the last poll; no page waits for the cluster (I1). Missing is what the
 * cluster has reported, unknown is what it has not: neither is ever shown as stopped.
 */
export const liveState = (row: Known, deps: LiveDeps): LiveState =>
  stateFrom(row, lookAt(row, deps.clock.now(), deps))

/** What a row is overlaid with. */
type Look = { isBusy: boolean; seen: CachedVm | undefined }

const lookAt = (row: Known, now: Date, { hypervisors }: Pick<LiveDeps, 'hypervisors'>): Look => ({
  isBusy: isHeld(row, now),
  seen: hypervisors.all().get(row.clusterId)?.inventory.vm(row.vmId),
})

function stateFrom(row: Known, { isBusy, seen }: Look): LiveState {
  const last = {
    uptime: row.uptime,
    cpuUsage: row.cpuUsage,
    memoryUsed: row.memoryUsed,
    lastUpdated: row.lastUpdated,
  }
  const nothing = { uptime: 0, cpuUsage: null, memoryUsed: null }
  if (isBusy) return { ...last, status: row.status }
  if (row.missingSince !== null) {
    return { ...nothing, status: 'missing', lastUpdated: row.missingSince }
  }
  if (seen === undefined) return { ...last, status: 'unknown' }
  const figures = {
    uptime: Math.round(seen.uptime),
    cpuUsage: seen.cpuUsage ?? null,
    memoryUsed: seen.memoryUsed ?? null,
    lastUpdated: seen.asOf,
  }
  return { ...figures, status: newerStatus(row, seen) }
}

/** Another process may have seen the VM live after the time our list is certain for. */
function newerStatus(row: Known, seen: CachedVm): string {
  const isRowNewer = row.lastUpdated !== null && row.lastUpdated > seen.certainAt
  return isRowNewer && seen.state !== 'unknown' ? row.status : seen.state
}

type ShownInstance = z.input<typeof Instance>

/** An instance as the admin's lists show it. */
export const toInstance = (row: JoinedInstance, deps: LiveDeps): ShownInstance =>
  instanceFrom(row, lookAt(row, deps.clock.now(), deps))

/**
 * The same for a long list that is read often: of ten thousand instances nearly all are unchanged.
 * Those are neither rebuilt nor serialised again.
 */
export function instanceViews(deps: LiveDeps) {
  const made = new WeakMap<JoinedInstance, Look & { instance: ShownInstance }>()

  return (rows: readonly JoinedInstance[]): ShownInstance[] => {
    const now = deps.clock.now()
    return rows.map((row) => {
      const look = lookAt(row, now, deps)
      const before = made.get(row)
      if (before && before.seen === look.seen && before.isBusy === look.isBusy)
        return before.instance
      const instance = writtenOnce(instanceFrom(row, look))
      made.set(row, { ...look, instance })
      return instance
    })
  }
}

function instanceFrom(row: JoinedInstance, look: Look): ShownInstance {
  const { token } = row
  const cents = row.monthlyPriceCents ?? token?.monthlyPriceCents
  return {
    id: row.id,
    name: row.name,
    label: row.label ?? row.name,
    vmId: row.vmId,
    clusterId: row.clusterId,
    nodeId: row.nodeId,
    templateId: row.templateId,
    tokenId: row.tokenId,
    ownerId: row.ownerId,
    clientName: row.owner && userName(row.owner),
    ipAddress: row.ipAddress ?? token?.ipAddress ?? row.ipv6Address,
    monthlyPrice: cents === undefined ? null : decimal(cents),
    createdAt: row.createdAt,
    suspended: suspensionOf(row),
    isKept: token?.status === 'cancelled',
    ...stateFrom(row, look),
    token: token && {
      createdAt: token.createdAt,
      durationDays: token.durationDays,
      clientIpAddress: token.clientIpAddress,
      domain: token.domain,
      username: token.username,
    },
    node: row.nodeName === null ? null : { name: row.nodeName },
  }
}
