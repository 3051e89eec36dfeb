import type { Instance } from '#shared/api/instances.ts'
import { OrderUpdate } from '#shared/api/orders.ts'

/** As typed. `vmId` may be chosen or typed. */
export type ProvisionFields = {
  nodeId: string
  vmId: string
  username: string
  password: string
}

export const EMPTY_PROVISION: ProvisionFields = {
  nodeId: '',
  vmId: '',
  username: '',
  password: '',
}

/** What is left empty is not sent: the server keeps what it knows. */
export const bodyOf = ({ nodeId, vmId, username, password }: ProvisionFields) => ({
  status: 'active' as const,
  assignedNodeId: Number(nodeId),
  assignedVmId: Number(vmId),
  ...(username.trim() !== '' && { username }),
  ...(password !== '' && { password }),
})

export const checkProvision = (fields: ProvisionFields) => OrderUpdate.safeParse(bodyOf(fields))

/** Node and VM ID are what it needs. */
export const isComplete = ({ nodeId, vmId }: ProvisionFields): boolean =>
  Number(nodeId) > 0 && /^\d{3,9}$/.test(vmId.trim())

/** The VMs of the node that are nobody's, by their number. */
export const freeVms = (instances: readonly Instance[] = []): readonly Instance[] =>
  instances
    .filter(
      ({ tokenId, ownerId, status }) =>
        tokenId === null && ownerId === null && status !== 'missing',
    )
    .toSorted((a, b) => a.vmId - b.vmId)
