import type { Hypervisors } from '../../hypervisor/hypervisors.ts'

export const NO_GUEST_PASSWORD =
  'No new password can be set in this VM, so it cannot be handed over safely: the account may not use the guest agent. Cluster settings → Permissions says how to allow it.'

/** Whether our account may set a password in this VM; undefined until the cluster has answered. */
export function maySetPassword(
  { clusterId, vmId }: { clusterId: number; vmId: number },
  hypervisors: Hypervisors,
): boolean | undefined {
  const rights = hypervisors.all().get(clusterId)?.inventory.view().inventory?.guestPasswords
  return rights && (rights.isEverywhere || rights.vmIds.has(vmId))
}
