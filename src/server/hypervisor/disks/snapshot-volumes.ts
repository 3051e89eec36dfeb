import type { VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { volumeOf } from './vm-disks.ts'

/** The volumes that snapshots of a VM need: the cluster refuses to remove them. */
export async function volumesOfSnapshots(
  client: ProxmoxClient,
  place: VmRef,
): Promise<Set<string>> {
  const needed = new Set<string>()
  for (const { name } of await client.qemu.snapshots(place)) {
    const { values } = await client.qemu.snapshotConfig(place, name)
    for (const value of Object.values(values)) needed.add(volumeOf(value))
  }
  return needed
}
