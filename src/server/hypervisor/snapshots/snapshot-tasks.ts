import type { VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import { type Effect, lastingTasks } from '../vm/lasting-tasks.ts'

/** Tasks on snapshots, with their refusals in words for a client. */
export function snapshotTasks(client: ProxmoxClient, clock: Clock) {
  const { settle, run } = lastingTasks(client, clock, {
    types: ['qmsnapshot', 'qmdelsnapshot', 'qmrollback'],
    busy: 'A snapshot is still being worked on.',
  })

  /**
   * Locked although none of these tasks runs: the one that locked the VM died, and only root can
   * unlock it. Our job goes on when that is done.
   */
  const leftLocked = async (error: unknown, place: VmRef, { options }: Effect) => {
    if (!isProxmoxError(error) || error.failure.kind !== 'task-failed') return undefined
    if (error.failure.because.kind !== 'locked') return undefined
    await settle(place, options)
    const { lock } = await client.qemu.status(place)
    if (lock === undefined || !LOCKS.has(lock)) return undefined
    const { vmid } = place
    const message = `Work on a snapshot broke off on the cluster and has left VM ${vmid} locked. On its node run: qm unlock ${vmid}`
    return new AppError('LOCKED', message, { cause: error, retryAfter: 60 })
  }

  return {
    settle,
    async run(place: VmRef, begin: () => Promise<string>, effect: Effect): Promise<void> {
      try {
        await run(place, begin, effect)
      } catch (error) {
        throw (await leftLocked(error, place, effect)) ?? refusalOf(error) ?? error
      }
    },
  }
}

const LOCKS = new Set(['snapshot', 'snapshot-delete', 'rollback'])

const REFUSALS: [RegExp, string][] = [
  [
    /snapshot feature is not available/,
    'The storage of this server cannot take snapshots. Ask the operator.',
  ],
  [
    /is not (the )?most recent snapshot/,
    'A newer snapshot, made in Proxmox itself, is in the way. Ask the operator to delete it.',
  ],
]

function refusalOf(error: unknown): AppError | undefined {
  if (!isProxmoxError(error)) return undefined
  const { failure } = error
  const text = failure.kind === 'task-failed' ? failure.exitStatus : error.message
  const [, message] = REFUSALS.find(([pattern]) => pattern.test(text)) ?? []
  if (message === undefined) return undefined
  return new AppError('INVALID_STATE', message, { cause: error, publicMessage: message })
}
