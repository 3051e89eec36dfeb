import type { ClusterData, Vm } from '../state/types.ts'
import { die } from '../wire/errors.ts'
import { isDiskKey } from './config-schema.ts'
import { bootOrder, bootVolume, drives, isCloudinit, ownerOf, parseDrive } from './disks.ts'

export const isUnusedKey = (key: string) => /^unused\d+$/.test(key)

/** True if both values name the same volume. */
export const isSameDisk = (a: string | null | undefined, b: string) =>
  parseDrive('', a ?? '').volid === parseDrive('', b).volid

/**
 * A disk that leaves its place is not lost but becomes unusedN, unless it is another VM's. The
 * cloud-init drive is removed: it can be made again.
 */
export function leavePlace(data: ClusterData, vm: Vm, value: string): void {
  const { volid, storage, cdrom } = parseDrive('', value)
  if (isCloudinit(volid)) data.volumes.delete(volid)
  else if (!cdrom && storage && ownerOf(volid) === vm.vmid) keepUnused(vm, volid)
}

export function keepUnused(vm: Vm, volid: string): void {
  const unused = Object.keys(vm.config).filter(isUnusedKey)
  if (unused.some((key) => vm.config[key] === volid)) return
  let n = 0
  while (vm.config[`unused${n}`] !== undefined) n++
  vm.config[`unused${n}`] = volid
}

/** Whatever is attached, or will be at the next start, is not unused. */
export function forgetUsed(vm: Vm): void {
  const waiting = Object.entries(vm.pending).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  )
  const attached = drives({ ...vm.config, ...Object.fromEntries(waiting) })
  const used = new Set([...attached, ...drives(vm.config)].map((drive) => drive.volid))
  for (const key of Object.keys(vm.config).filter(isUnusedKey)) {
    if (used.has(vm.config[key] ?? '')) delete vm.config[key]
  }
}

/** `delete=unusedN`, or a drive with `force`: the data is gone; another VM's is left alone. */
export function removeDisk(data: ClusterData, vm: Vm, key: string): void {
  const { volid } = parseDrive(key, vm.config[key] ?? '')
  if (ownerOf(volid) === vm.vmid) {
    const others = [vm.config, ...(vm.snapshots ?? []).map((snapshot) => snapshot.config)]
    const uses = others.flatMap((config) => drives(config).filter((drive) => drive.volid === volid))
    const isUsed = uses.length > (isDiskKey(key) ? 1 : 0)
    if (isUsed) throw die(`unable to delete '${volid}' - volume is still in use (snapshot?)`)
    data.volumes.delete(volid)
  }
  delete vm.config[key]
}

/** A device that is removed from the VM cannot be booted from. */
export function leaveBootOrder(vm: Vm, key: string): void {
  if (!bootOrder(vm.config).includes(key)) return
  vm.config.boot = orderWithout(vm, key)
}

export function orderWithout(vm: Vm, key: string): string {
  const left = bootOrder(vm.config).filter((device) => device !== key)
  // PVE writes an empty value, and reads it as a space.
  return left.length > 0 ? `order=${left.join(';')}` : ' '
}

/** The system is on the disk: a VM that boots from another one runs another system. */
export function changeSystem(data: ClusterData, vm: Vm, before: string): void {
  const after = bootVolume(vm.config)
  if (after === before) return
  const { password, ...software } = structuredClone(vm.guest)
  const left = data.volumes.get(before)
  if (left) left.software = software
  const entered = data.volumes.get(after)
  if (!entered?.software) return
  vm.guest = { ...entered.software, password }
  delete entered.software
}
