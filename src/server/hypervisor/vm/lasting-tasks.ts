import type { VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { type Failure, isProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { TaskOptions } from '../port/hypervisor.ts'
import { follow } from './task-follow.ts'

/** PVE carries the request out within 30 s or not at all; its task is visible from then on. */
const LOOKS_AFTER_LOSS = 4
const LOOK_MS = 2_000
const LONGEST_MS = 30 * MINUTE_MS
/** One request per pause, and the pauses grow: copying a large disk takes many minutes. */
const PAUSES_MS = [1_000, 2_000, 3_000, 5_000, 10_000]

export type Effect = { isDone: () => Promise<boolean>; options: TaskOptions }

/**
 * Tasks on a VM that may outlive our process and their own answer. `types` are those of which only
 * one may run at a time; `busy` is what a caller is told who has waited too long for it.
 */
export function lastingTasks(
  client: ProxmoxClient,
  clock: Clock,
  { types, busy }: { types: readonly string[]; busy: string },
) {
  const isRunning = async ({ node, vmid }: VmRef): Promise<boolean> => {
    const tasks = await client.tasks.list(node, { vmid, source: 'active' })
    return tasks.some(({ type, endtime }) => types.includes(type) && endtime === undefined)
  }

  /**
   * Waits for one that still runs, such as one begun before a restart of ours. Cancelling it instead
   * could leave a disk behind that no configuration mentions.
   */
  const settle = async (place: VmRef, { signal }: TaskOptions): Promise<void> => {
    const ends = clock.now() + LONGEST_MS
    for (let round = 0; await isRunning(place); round += 1) {
      if (clock.now() >= ends) throw new AppError('LOCKED', busy, { retryAfter: 60 })
      await clock.sleep(PAUSES_MS[round] ?? PAUSES_MS.at(-1) ?? LOOK_MS, signal)
    }
  }

  return {
    settle,
    /**
     * Begins one and waits for its end. If that stays uncertain, or another was quicker, its effect
     * decides: perhaps our own first attempt was.
     */
    async run(
      place: VmRef,
      begin: () => Promise<string | undefined>,
      { isDone, options }: Effect,
    ): Promise<void> {
      try {
        await follow(client, await begin(), options)
      } catch (error) {
        const looks = isProxmoxError(error) ? looksAfter(error.failure) : 0
        for (let look = 1; look <= looks; look += 1) {
          if (look > 1) await clock.sleep(LOOK_MS, options.signal)
          await settle(place, options)
          if (await isDone()) return
        }
        throw error
      }
    },
  }
}

function looksAfter(failure: Failure): number {
  if (failure.kind === 'unknown-outcome') return failure.hasEnded ? 1 : LOOKS_AFTER_LOSS
  return ['task-failed', 'changed-meanwhile', 'locked'].includes(failure.kind) ? 1 : 0
}
