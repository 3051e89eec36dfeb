import { and, eq, isNull, lt, notInArray, or } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { canPower, type PowerAct, UNDER_WAY } from '#shared/rules/instance/instance-power.ts'
import type { Db } from '../../db/database.ts'
import { instances, type PowerFailure } from '../../db/schema/stock.ts'
import type { LiveVm } from '../../hypervisor/port/hypervisor.ts'
import { CLAIM_MS, HELD_BY_JOB, HELD_BY_PROCESS } from './acts-under-way.ts'

/** The right to act on one VM. `at` distinguishes this claim from a later one. */
export type PowerClaim = { instanceId: number; status: string; at: Date }

const locked = () =>
  new AppError('LOCKED', 'Another action is still running on this instance.', { retryAfter: 5 })

/**
 * Takes the exclusive right to act on this VM, across all processes, by a guarded update of its
 * status: pages see the action at once. A claim whose process died is void after some minutes; a
 * stop takes over from a shutdown or restart that waits for its guest.
 */
export async function claimPower(
  tx: Db,
  { id: instanceId, ownerId }: { id: number; ownerId: number | null },
  act: PowerAct,
  at: Date,
): Promise<PowerClaim> {
  const status = UNDER_WAY[act]
  const blocking =
    act === 'stop' ? HELD_BY_PROCESS.filter((one) => !canPower(one).stop) : HELD_BY_PROCESS
  const voidBefore = new Date(at.getTime() - CLAIM_MS)
  const [claimed] = await tx
    .update(instances)
    .set({ status, lastUpdated: at, powerFailure: null })
    .where(
      and(
        eq(instances.id, instanceId),
        notInArray(instances.status, HELD_BY_JOB),
        // After the caller was authorised the server may have gone to another account, or been suspended.
        ownerId === null ? isNull(instances.ownerId) : eq(instances.ownerId, ownerId),
        act === 'start' || act === 'restart' ? isNull(instances.suspendedAt) : undefined,
        or(
          notInArray(instances.status, blocking),
          isNull(instances.lastUpdated),
          lt(instances.lastUpdated, voidBefore),
        ),
      ),
    )
    .returning({ id: instances.id })
  if (!claimed) throw locked()
  return { instanceId, status, at }
}

/**
 * Releases the claim with the live state at the end, or unknown without one. Returns false if
 * another claim has taken over meanwhile.
 */
export async function releasePower(
  tx: Db,
  { instanceId, status, at }: PowerClaim,
  seen: { vm: LiveVm | undefined; at: Date; failure?: PowerFailure },
): Promise<boolean> {
  const { vm } = seen
  const released = await tx
    .update(instances)
    .set({
      status: vm?.state ?? 'unknown',
      lastUpdated: seen.at,
      powerFailure: seen.failure ?? null,
      ...(vm ? { uptime: Math.round(vm.uptime), cpuUsage: vm.cpuUsage ?? null } : {}),
    })
    .where(
      and(
        eq(instances.id, instanceId),
        eq(instances.status, status),
        eq(instances.lastUpdated, at),
      ),
    )
    .returning({ id: instances.id })
  return released.length > 0
}
