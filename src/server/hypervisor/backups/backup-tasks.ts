import type { VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import { type Effect, lastingTasks } from '../vm/lasting-tasks.ts'
import { isEmptied } from './emptied-vm.ts'

const LOCKS = new Set(['backup', 'create'])

/** Tasks on backups, with their refusals in words for a client. */
export function backupTasks(client: ProxmoxClient, clock: Clock) {
  const { settle, run } = lastingTasks(client, clock, {
    types: ['vzdump', 'qmrestore'],
    busy: 'A backup is still being worked on.',
  })

  /** Locked although none of these tasks runs: only root can unlock it. */
  const leftLocked = async (error: unknown, place: VmRef, { options }: Effect) => {
    await settle(place, options)
    const { lock } = await client.qemu.status(place)
    if (lock === undefined || !LOCKS.has(lock)) return undefined
    const { vmid } = place
    const message = `Work on a backup broke off on the cluster and has left VM ${vmid} locked. On its node run: qm unlock ${vmid}`
    return new AppError('LOCKED', message, { cause: error, retryAfter: 60 })
  }

  return {
    settle,
    async run(
      place: VmRef,
      begin: () => Promise<string | undefined>,
      effect: Effect,
    ): Promise<void> {
      try {
        await run(place, begin, effect)
      } catch (error) {
        if (!isProxmoxError(error) || !hasEnded(error)) throw error
        throw (await leftLocked(error, place, effect)) ?? refusalOf(error) ?? error
      }
    },
    /** The same for a restore, which may leave nothing of the VM. */
    async restore(place: VmRef, begin: () => Promise<string>, effect: Effect): Promise<void> {
      try {
        await this.run(place, begin, effect)
      } catch (error) {
        if (error instanceof AppError && error.code === 'LOCKED') throw error
        if (!isProxmoxError(error) || !hasEnded(error)) throw error
        if (!isEmptied(await client.qemu.config(place))) throw error
        throw new AppError('INVALID_STATE', `${DATA_GONE} ${error.message}`, {
          cause: error,
          publicMessage: DATA_GONE,
        })
      }
    },
  }
}

const DATA_GONE =
  'The restore broke off after the old disks had been deleted: the server has no data now. Restore this backup again, or another one.'

const hasEnded = ({ failure }: { failure: { kind: string } }) =>
  failure.kind === 'task-failed' || failure.kind === 'unknown-outcome' || failure.kind === 'locked'

const REFUSALS: [RegExp, string][] = [
  [
    /no space left|not enough space|ENOSPC/i,
    'The storage for backups is full. Ask the operator to make room.',
  ],
  [
    /cannot remove protected volume/,
    'This backup is protected in Proxmox. Ask the operator to end that.',
  ],
  [/vm is running/, 'The server was started meanwhile. Try again.'],
]

/** A backup that fails says why in its log only; its status is always "job errors". */
function refusalOf(error: unknown): AppError | undefined {
  if (!isProxmoxError(error)) return undefined
  const { failure } = error
  const text =
    failure.kind === 'task-failed'
      ? `${failure.exitStatus} ${failure.lastWords ?? ''}`
      : error.message
  const [, message] = REFUSALS.find(([pattern]) => pattern.test(text)) ?? []
  if (message === undefined) return undefined
  return new AppError('INVALID_STATE', `${message} ${text}`, {
    cause: error,
    publicMessage: message,
  })
}
