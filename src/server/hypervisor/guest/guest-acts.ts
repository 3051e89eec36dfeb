import type { VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import type { MetricsPeriod, VmAddress } from '../port/hypervisor.ts'
import type { VmAccess } from '../vm/vm-access.ts'
import type { AgentTurns } from './agent-turns.ts'
import { addressesOf, metricsPoint, taskView } from './guest-view.ts'

export function guestActs(
  client: ProxmoxClient,
  { access, turns }: { access: VmAccess; turns: AgentTurns },
) {
  const reported = async (place: VmRef): Promise<string[] | undefined> => {
    try {
      const interfaces = await client.qemu.guestInterfaces(place)
      return addressesOf(await client.qemu.config(place), interfaces)
    } catch (error) {
      if (isProxmoxError(error, 'agent-unavailable')) return undefined
      // Not in the default role: a caller that waits for the guest must not wait for this.
      if (isProxmoxError(error, 'forbidden')) {
        throw new AppError('INVALID_STATE', 'The account may not ask the guest agent.')
      }
      throw error
    }
  }

  return {
    openConsole: (vm: VmAddress) => access.own(vm, (place) => client.vnc.open(place)),
    consoleTicket: (vm: VmAddress) => access.own(vm, (place) => client.vnc.ticket(place)),
    guestAddresses: (vm: VmAddress, { asksAgain = false } = {}): Promise<string[]> =>
      access.own(vm, async (place) => {
        const addresses = await turns.look({ ...place, asksAgain }, () => reported(place))
        return addresses ?? []
      }),
    setGuestPassword: (vm: VmAddress, user: { name: string; password: string }): Promise<void> => {
      const form = { username: user.name, password: user.password }
      return access.own(vm, (place) =>
        turns.act(place, () => client.qemu.setUserPassword(place, form)),
      )
    },
    metrics: (vm: VmAddress, period: MetricsPeriod) =>
      access.at(vm, async (place) => (await client.qemu.rrddata(place, period)).map(metricsPoint)),
    nodeMetrics: async (node: string, period: MetricsPeriod) =>
      (await client.nodes.rrddata(node, period)).map(metricsPoint),
    tasks: (vm: VmAddress) =>
      access.at(vm, async ({ node, vmid }) =>
        (await client.tasks.list(node, { vmid, limit: 50 })).map(taskView),
      ),
  }
}
