import { afterEach } from 'vitest'
import type { SimOptions } from '#pve-sim/options.ts'
import type { Sim } from '#pve-sim/sim.ts'
import type { Hypervisor } from '../port/hypervisor.ts'
import { proxmoxHypervisor } from '../proxmox/proxmox-hypervisor.ts'
import { interrupted } from './interrupted.ts'
import { connectionTo, impatient, startCluster } from './sim-cluster.ts'
import { ownVm } from './sim-vm.ts'

type Opened = ReturnType<typeof ownVm> & { sim: Sim; hypervisor: Hypervisor }

/** A simulated cluster with VM 103 as one of ours, opened by each test and closed after it. */
export function ownVmCluster() {
  let opened: Opened | undefined
  const now = (): Opened => {
    if (!opened) throw new Error('the test did not open its cluster')
    return opened
  }
  afterEach(async () => {
    await opened?.hypervisor.close()
    await opened?.sim.close()
    opened = undefined
  })
  const connect = (sim: Sim) => proxmoxHypervisor(connectionTo(sim), impatient)

  return {
    get sim() {
      return now().sim
    },
    get hypervisor() {
      return now().hypervisor
    },
    get vm() {
      return now().vm
    },
    get address() {
      return now().address
    },

    async open(options: SimOptions = {}): Promise<void> {
      const sim = await startCluster(options)
      opened = { sim, hypervisor: connect(sim), ...ownVm(sim, 103, 'hushbox:order-7') }
    },

    /** A second process of ours. */
    connect: () => connect(now().sim),

    /** Our process dies once the cluster has answered so many requests. False if it was done before. */
    dying: (act: () => Promise<void>, afterRequests: number) =>
      interrupted(now().sim, {
        act,
        afterRequests,
        close: () => now().hypervisor.close(),
        reconnect: () => {
          now().hypervisor = connect(now().sim)
        },
      }),
  }
}
