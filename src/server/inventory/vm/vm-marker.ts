import type { VmAddress } from '../../hypervisor/port/hypervisor.ts'

/**
 * The marker in the description of a VM we made. It contains the id of our row, so the row is
 * written before the VM; and the id of our cluster record, so that two installations on one cluster
 * never take each other's VMs for their own.
 */
export const vmMarker = (clusterUid: string, instanceId: number): string =>
  `hushbox:${clusterUid}:${instanceId}`

type Identity = { marker: string | null; uuid: string | null }
type Placed = Identity & { vmId: number; nodeName: string | null }

/**
 * What identifies a VM besides its id. Ours by the marker alone, because a restore by Proxmox
 * changes its identity.
 */
export const identityOf = ({ marker, uuid }: Identity): Pick<VmAddress, 'marker' | 'uuid'> =>
  marker === null ? { uuid: uuid ?? undefined } : { marker }

/** The address of an instance's VM, which must prove that it is still that one. */
export const vmAddress = ({ vmId, nodeName, ...identity }: Placed): VmAddress => ({
  vmId,
  node: nodeName ?? undefined,
  ...identityOf(identity),
})
