import type { VmConfig, VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { hasMarker } from '#proxmox/find.ts'
import { isProxmoxError, ProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import type { VmAddress } from '../port/hypervisor.ts'
import { isHiddenVm } from './clones-under-way.ts'

const missing = (message: string) => new AppError('VM_MISSING', message)

/** Finds the intended VM, wherever it is now, and verifies that it is that one. */
export function vmAccess(client: ProxmoxClient) {
  /**
   * PVE silently omits VMs we may not see (facts §5). The request for a free id is answered
   * whatever our permissions are, so it tells a VM that is gone from a hidden one.
   */
  const locate = async (vmId: number): Promise<VmRef> => {
    const found = await client.find.locate(vmId)
    if (found) return found
    if (await client.cluster.isFree(vmId)) throw missing('The cluster no longer has this VM.')
    const failure = { kind: 'forbidden', path: `/vms/${vmId}`, privileges: ['VM.Audit'] } as const
    throw new ProxmoxError(failure, `VM ${vmId} exists, but is not listed for us`)
  }

  /**
   * Runs `act` where the VM is. PVE answers "no such config" on the wrong node without having done
   * anything, so retrying on the right one is safe even for a write. An account with permissions on
   * a pool gets 403 instead: only the answer that the id is free proves that the VM is gone.
   */
  const at = async <T>(vm: VmAddress, act: (place: VmRef) => Promise<T>): Promise<T> => {
    const place = vm.node === undefined ? await locate(vm.vmId) : { node: vm.node, vmid: vm.vmId }
    try {
      return await act(place)
    } catch (error) {
      if (isHiddenVm(error, vm.vmId) && (await client.cluster.isFree(vm.vmId))) {
        throw missing('The cluster no longer has this VM.')
      }
      if (!isProxmoxError(error, 'not-found')) throw error
      const now = await locate(vm.vmId)
      if (now.node === place.node) throw missing('The cluster no longer has this VM.')
      return act(now)
    }
  }

  return {
    at,
    /** The same, after the VM's own config has proved that it is the intended one. */
    own: <T>(vm: VmAddress, act: (place: VmRef) => Promise<T>): Promise<T> =>
      at(vm, async (place) => {
        const isNamed = vm.marker !== undefined || vm.uuid !== undefined
        if (isNamed) requireSame(await client.qemu.config(place), vm)
        return act(place)
      }),
    /** Reads its config, after the config has proved that it is the intended VM. */
    config: <T>(vm: VmAddress, read: (config: VmConfig) => T): Promise<T> =>
      at(vm, async (place) => {
        const config = await client.qemu.config(place)
        requireSame(config, vm)
        return read(config)
      }),
  }
}

export type VmAccess = ReturnType<typeof vmAccess>

/**
 * A VM that we made is identified by our marker; any other by the identity it had when we first saw
 * it.
 */
export function isSameVm(config: VmConfig, { marker, uuid }: VmAddress): boolean {
  if (marker !== undefined) return hasMarker(config, marker)
  return uuid === undefined || uuidOf(config) === uuid.toLowerCase()
}

export function requireSame(config: VmConfig, vm: VmAddress): void {
  if (isSameVm(config, vm)) return
  throw missing('The VM with this id is another one than ours, and was left alone.')
}

/** The identity PVE gives each VM; a clone gets a new one. */
export function uuidOf(config: VmConfig): string | undefined {
  return /uuid=([0-9a-f-]{36})/i.exec(config.values.smbios1 ?? '')?.[1]?.toLowerCase()
}
