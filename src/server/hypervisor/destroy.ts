import type { ProxmoxClient } from '#proxmox/client.ts'
import { isProxmoxError } from '#proxmox/errors.ts'
import type { VmRef } from '#proxmox/vm-answers.ts'
import { AppError } from '#shared/errors.ts'
import type { OwnVm, PowerAct, TaskOptions, VmAddress } from './hypervisor.ts'
import { follow } from './task-follow.ts'
import { requireMarker, uuidOf, type VmAccess } from './vm-access.ts'

type Power = (vm: VmAddress, act: PowerAct) => Promise<unknown>

/**
 * The one act that cannot be undone. Ids are reused, so everything that names the VM must agree:
 * id, marker in its own config, and its identity where we stored it (decision P4). Checked again
 * after the VM was stopped, because stopping takes time.
 */
export function destroyActs(client: ProxmoxClient, access: VmAccess, power: Power) {
  const verify = async (place: VmRef, vm: OwnVm): Promise<void> => {
    const config = await client.qemu.config(place)
    // A clone under way gets its marker last: it may be ours, and cannot be destroyed yet.
    if (config.values.lock === 'clone') {
      throw new AppError('LOCKED', 'The VM is still being cloned.', { retryAfter: 5 })
    }
    requireMarker(config, vm.marker)
    if (vm.uuid !== undefined && uuidOf(config) !== vm.uuid.toLowerCase()) {
      throw new AppError(
        'VM_MISSING',
        'The VM with this id is another one than ours, and was left alone.',
      )
    }
    if (config.values.template === '1') {
      throw new AppError('INVALID_STATE', 'Templates are not destroyed from here.')
    }
  }

  const destroyAt = async (place: VmRef, vm: OwnVm, options: TaskOptions): Promise<void> => {
    await verify(place, vm)
    const { status } = await client.qemu.status(place)
    if (status !== 'stopped') {
      await power({ vmId: vm.vmId, node: place.node, marker: vm.marker }, 'stop')
      await verify(place, vm)
    }
    await follow(client, await client.qemu.remove(place), options)
  }

  return {
    async destroy(vm: OwnVm, options: TaskOptions = {}): Promise<void> {
      try {
        await access.at(vm, (place) => destroyAt(place, vm, options))
      } catch (error) {
        // Gone is what was wanted. Only the cluster's word that the id is free counts as gone.
        if (isGone(error) && (await client.cluster.isFree(vm.vmId))) return
        throw error
      }
    },
  }
}

const isGone = (error: unknown) =>
  (error instanceof AppError && error.code === 'VM_MISSING') || isProxmoxError(error, 'not-found')
