import type { VmAddress } from '../hypervisor/hypervisor.ts'

/**
 * The word in the description of a VM we made that says whose it is. It names our row, so the row
 * is written before the VM is; and our copy of the cluster, so that two installations on one
 * cluster never take each other's VMs for their own.
 */
export const vmMarker = (clusterUid: string, instanceId: number): string =>
  `hushbox:${clusterUid}:${instanceId}`

type Placed = { vmId: number; marker: string | null; nodeName: string | null }

/** How to address the VM of an instance; one we made must show that it still is that one. */
export const vmAddress = ({ vmId, nodeName, marker }: Placed): VmAddress => ({
  vmId,
  node: nodeName ?? undefined,
  marker: marker ?? undefined,
})
