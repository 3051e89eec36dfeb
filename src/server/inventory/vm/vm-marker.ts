import type { VmAddress } from '../../hypervisor/port/hypervisor.ts'

/**
 * The word in the description of a VM we made that says whose it is. It names our row, so the row
 * is written before the VM is; and our copy of the cluster, so that two installations on one
 * cluster never take each other's VMs for their own.
 */
export const vmMarker = (clusterUid: string, instanceId: number): string =>
  `hushbox:${clusterUid}:${instanceId}`

type Identity = { marker: string | null; uuid: string | null }
type Placed = Identity & { vmId: number; nodeName: string | null }

/** What a VM is known by beside its id. Ours by the marker alone: Proxmox may restore it anew. */
export const identityOf = ({ marker, uuid }: Identity): Pick<VmAddress, 'marker' | 'uuid'> =>
  marker === null ? { uuid: uuid ?? undefined } : { marker }

/** How to address the VM of an instance; it must show that it still is that one. */
export const vmAddress = ({ vmId, nodeName, ...identity }: Placed): VmAddress => ({
  vmId,
  node: nodeName ?? undefined,
  ...identityOf(identity),
})
