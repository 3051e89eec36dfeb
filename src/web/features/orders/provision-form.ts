import { type Candidate, OrderUpdate } from '#shared/api/shop/orders.ts'

/** As typed. `vmId` may be chosen or typed. */
export type ProvisionFields = {
  nodeId: string
  vmId: string
  username: string
  password: string
  /** The VM id of which somebody said that it may be smaller than what was sold. */
  acceptedVmId: string
}

export const EMPTY_PROVISION: ProvisionFields = {
  nodeId: '',
  vmId: '',
  username: '',
  password: '',
  acceptedVmId: '',
}

/** What is left empty is not sent: the server keeps what it knows. */
export const bodyOf = ({ nodeId, vmId, username, password, acceptedVmId }: ProvisionFields) => ({
  status: 'active' as const,
  assignedNodeId: Number(nodeId),
  assignedVmId: Number(vmId),
  ...(username.trim() !== '' && { username }),
  ...(password !== '' && { password }),
  ...(acceptedVmId !== '' && acceptedVmId === vmId && { acceptSmaller: true }),
})

export const checkProvision = (fields: ProvisionFields) => OrderUpdate.safeParse(bodyOf(fields))

/** Node and VM ID are what it needs. */
export const isComplete = ({ nodeId, vmId }: ProvisionFields): boolean =>
  Number(nodeId) > 0 && /^\d{3,9}$/.test(vmId.trim())

/** VMs that Hushbox made; others only if the operator asks for them. */
export const offeredVms = (
  candidates: readonly Candidate[] = [],
  withForeign: boolean,
): readonly Candidate[] => candidates.filter(({ isOurs }) => isOurs || withForeign)

/** "103, web (stopped), 2 CPU, 4 GB RAM, 40 GB disk" */
export const vmLabel = ({ vmId, name, status, size, isOurs }: Candidate): string =>
  [`${vmId}, ${name} (${status})`, size, isOurs ? '' : 'not made here'].filter(Boolean).join(', ')
