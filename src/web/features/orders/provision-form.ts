import { type Candidate, OrderUpdate } from '#shared/api/shop/orders.ts'

/** As typed. `vmId` may be chosen or typed. */
export type ProvisionFields = {
  nodeId: string
  vmId: string
  username: string
  password: string
  /** The VM id that the operator accepted although it is smaller than the size sold. */
  acceptedVmId: string
}

export const EMPTY_PROVISION: ProvisionFields = {
  nodeId: '',
  vmId: '',
  username: '',
  password: '',
  acceptedVmId: '',
}

/** Empty fields are not sent: the server keeps its own values. */
export const bodyOf = ({ nodeId, vmId, username, password, acceptedVmId }: ProvisionFields) => ({
  status: 'active' as const,
  assignedNodeId: Number(nodeId),
  assignedVmId: Number(vmId),
  ...(username.trim() !== '' && { username }),
  ...(password !== '' && { password }),
  ...(acceptedVmId !== '' && acceptedVmId === vmId && { acceptSmaller: true }),
})

export const checkProvision = (fields: ProvisionFields) => OrderUpdate.safeParse(bodyOf(fields))

/** It requires node and VM ID. */
export const isComplete = ({ nodeId, vmId }: ProvisionFields): boolean =>
  Number(nodeId) > 0 && /^\d{3,9}$/.test(vmId.trim())

/** VMs that Hushbox created; others only if the operator asks for them. */
export const offeredVms = (
  candidates: readonly Candidate[] = [],
  withForeign: boolean,
): readonly Candidate[] => candidates.filter(({ isOurs }) => isOurs || withForeign)

/** "103, web (stopped), 2 CPU, 4 GB RAM, 40 GB disk" */
export const vmLabel = ({ vmId, name, status, size, isOurs }: Candidate): string =>
  [`${vmId}, ${name} (${status})`, size, isOurs ? '' : 'not made here'].filter(Boolean).join(', ')
