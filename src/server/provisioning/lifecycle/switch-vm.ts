import { AppError } from '#shared/errors.ts'
import type { Hypervisor, VmAddress } from '../../hypervisor/port/hypervisor.ts'
import { isHeld, isHeldByJob, REINSTALLING, UPDATING } from '../../inventory/vm/acts-under-way.ts'
import type { InstanceRow } from '../../inventory/vm/instance-row.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'

type Machine = { hypervisor: Hypervisor; vm: VmAddress; instance: InstanceRow }

export const isMissing = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'VM_MISSING'

/** A server that ended or is suspended must be off; any other may run. */
export const mustBeOff = ({ token, instance }: { token: TokenRow; instance: InstanceRow }) =>
  token.status === 'expired' || token.status === 'cancelled' || instance.suspendedAt !== null

export async function switchOn({ hypervisor, vm, instance }: Machine): Promise<void> {
  if (instance.marker !== null) await hypervisor.setConfig(vm, { onboot: true })
  await hypervisor.power(vm, 'start')
}

/** Also turns off start on boot: otherwise an ended server would start with its node. */
export async function switchOff(machine: Machine): Promise<void> {
  const { hypervisor, vm, instance } = machine
  if (instance.marker !== null) await hypervisor.setConfig(vm, { onboot: false })
  await shutDown(machine)
}

/** A guest that ignores the shutdown is stopped. */
export async function shutDown({ hypervisor, vm }: Pick<Machine, 'hypervisor' | 'vm'>) {
  try {
    await hypervisor.power(vm, 'shutdown')
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error
    await hypervisor.power(vm, 'stop')
  }
}

/** A start in progress would override the stop: the job runs again when it is over. */
export function waitForOthers({ clock }: Pick<JobDeps, 'clock'>, instance: InstanceRow): void {
  waitForHold(instance)
  if (!isHeldByJob(instance.status) && isHeld(instance, clock.now())) throw busy()
}

/**
 * A VM without its disk, or between two logins, is not switched. Its job notices that the server
 * must be off, and gives up.
 */
export function waitForHold({ status }: Pick<InstanceRow, 'status'>): void {
  if (status === REINSTALLING || status === UPDATING) throw busy()
}

const busy = () =>
  new AppError('LOCKED', 'Another action is still running on this instance.', { retryAfter: 5 })
