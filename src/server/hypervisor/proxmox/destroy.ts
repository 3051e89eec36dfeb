import type { VmConfig, VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import type { NamedVm, OwnVm, PowerAct, TaskOptions, VmAddress } from '../port/hypervisor.ts'
import { type ClonesUnderWay, isHiddenVm } from '../vm/clones-under-way.ts'
import { follow } from '../vm/task-follow.ts'
import { requireSame, uuidOf, type VmAccess } from '../vm/vm-access.ts'

type Doomed = NamedVm | OwnVm
type Power = (vm: VmAddress, act: PowerAct) => Promise<unknown>

/**
 * The one call that cannot be undone. Ids are reused, so everything that names the VM must agree:
 * id, marker in its own config, and its identity if we stored it (decision P4); for a VM that we
 * did not make, the name given in the request. Checked again after the VM was stopped, because
 * stopping takes time.
 */
export function destroyActs(
  client: ProxmoxClient,
  { access, power, underWay }: { access: VmAccess; power: Power; underWay: ClonesUnderWay },
) {
  const verify = async (place: VmRef, vm: Doomed): Promise<void> => {
    const config = await client.qemu.config(place)
    // A clone in progress gets its marker last: it may be ours, and cannot be destroyed yet.
    if (config.values.lock === 'clone') throw await lockedByClone(vm.vmId)
    if ('marker' in vm) requireOurs(config, vm)
    else requireName(config, vm)
    if (config.values.template === '1') {
      throw new AppError('INVALID_STATE', 'Templates are not destroyed from here.')
    }
  }

  const lockedByClone = async (vmId: number): Promise<AppError> => {
    const message = (await underWay.anywhere())
      ? 'The VM is still being cloned.'
      : `A clone that broke off has left VM ${vmId} locked. On its node run: qm unlock ${vmId}`
    return new AppError('LOCKED', message, { retryAfter: 5 })
  }

  /**
   * The id is in use by a VM that is hidden from us. A clone of ours is hidden until it is
   * complete; one that stays hidden after that is in none of our pools, so it is not ours to
   * destroy.
   */
  const judgeHidden = async (vmId: number, error: unknown): Promise<unknown> => {
    if (await underWay.anywhere()) {
      return new AppError('LOCKED', 'The VM is still being cloned.', { retryAfter: 5 })
    }
    if (!(await underWay.mayStillMake())) return error
    const message = `VM ${vmId} is not in a pool of ours, and was left alone.`
    return new AppError('VM_MISSING', message)
  }

  const destroyAt = async (place: VmRef, vm: Doomed, options: TaskOptions): Promise<void> => {
    await verify(place, vm)
    const { status } = await client.qemu.status(place)
    if (status !== 'stopped') {
      const marker = 'marker' in vm ? vm.marker : undefined
      await power({ vmId: vm.vmId, node: place.node, marker }, 'stop')
      await verify(place, vm)
    }
    await follow(client, await client.qemu.remove(place), options)
  }

  return {
    async destroy(vm: Doomed, options: TaskOptions = {}): Promise<void> {
      try {
        await access.at(vm, (place) => destroyAt(place, vm, options))
      } catch (error) {
        // Gone is the wanted result. Only the cluster's answer that the id is free counts as gone.
        if (isGone(error) && (await client.cluster.isFree(vm.vmId))) return
        throw isHiddenVm(error, vm.vmId) ? await judgeHidden(vm.vmId, error) : error
      }
    },
  }
}

function requireOurs(config: VmConfig, { vmId, marker, uuid }: OwnVm): void {
  requireSame(config, { vmId, marker })
  if (uuid === undefined || uuidOf(config) === uuid.toLowerCase()) return
  throw new AppError(
    'VM_MISSING',
    'The VM with this id is another one than ours, and was left alone.',
  )
}

/** PVE shows a VM without a name as "VM 100". */
function requireName(config: VmConfig, { vmId, name }: NamedVm): void {
  const now = config.values.name ?? `VM ${vmId}`
  if (now === name) return
  throw new AppError(
    'CHANGED_MEANWHILE',
    `VM ${vmId} is called ${now} by now, and was left alone. Sync to Proxmox and look again.`,
  )
}

const isGone = (error: unknown) =>
  (error instanceof AppError && error.code === 'VM_MISSING') || isProxmoxError(error, 'not-found')
