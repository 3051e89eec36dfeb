import type { ActiveClient } from '#shared/api/overview/dashboard.ts'
import { instanceName } from '../../lib/instance/instance-status.ts'

export type ActiveToken = ActiveClient['activeTokens'][number]

/** The two figures of the dashboard. */
export const totalsOf = (clients: readonly ActiveClient[]) => ({
  activeClients: clients.filter(({ activeTokens }) => activeTokens.length > 0).length,
  totalInstances: clients.reduce((sum, { activeTokens }) => sum + activeTokens.length, 0),
})

/** 1 → "1 Active Instance", 2 → "2 Active Instances" */
export const activeBadge = (amount: number): string =>
  `${amount} Active ${amount === 1 ? 'Instance' : 'Instances'}`

/** The VM id of a token's machine, from the instance or from the token. */
export const vmIdOf = ({ instance, proxmoxVmId }: ActiveToken): number | null =>
  instance?.vmId ?? proxmoxVmId

/** The instance's name; without one, "VM-" and the VM id. */
export function tokenTitle(token: ActiveToken): string {
  if (token.instance) return instanceName(token.instance)
  const vmId = vmIdOf(token)
  return vmId === null ? 'No instance yet' : `VM-${vmId}`
}
