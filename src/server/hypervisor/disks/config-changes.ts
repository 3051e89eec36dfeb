import type { ConfigChange } from '#proxmox/calls/qemu.ts'
import type { VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { type Effect, lastingTasks } from '../vm/lasting-tasks.ts'

/** Long changes of a VM's configuration. */
export function configChanges(client: ProxmoxClient, clock: Clock) {
  const { settle, run } = lastingTasks(client, clock, {
    types: ['qmconfig'],
    busy: 'A disk of the VM is still being copied.',
  })
  return {
    settle,
    send: (place: VmRef, change: ConfigChange, effect: Effect): Promise<void> =>
      run(place, () => client.qemu.setConfig(place, change), effect),
  }
}
