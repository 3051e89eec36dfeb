import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Sim } from '#pve-sim/sim.ts'
import { AppError } from '#shared/errors.ts'
import { wordsForClient } from '../../inventory/views/client-errors.ts'
import type { Hypervisor } from '../port/hypervisor.ts'
import { connectionTo, impatient, startCluster } from '../testing/sim-cluster.ts'
import { proxmoxHypervisor } from './proxmox-hypervisor.ts'

let sim: Sim
let hypervisor: Hypervisor
beforeEach(async () => {
  sim = await startCluster()
  hypervisor = proxmoxHypervisor(connectionTo(sim), impatient)
})
afterEach(async () => {
  await hypervisor.close()
  await sim.close()
})

it('if QEMU refuses a start, the operator reads why and the client reads nothing of the cluster', async () => {
  const vm = sim.state.vms.get(103)
  const node = sim.state.nodes.get(vm?.node ?? '')
  if (!vm || !node) throw new Error('no VM 103')
  node.bridges = [{ name: 'vmbr0', ports: '', isVlanAware: false }]
  vm.config.net0 = 'virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=5'
  const error = await hypervisor.power({ vmId: 103 }, 'start').catch((failure: unknown) => failure)
  if (!(error instanceof AppError)) throw error
  expect(error.code).toBe('CLUSTER_REFUSED')
  expect(error.message).toContain('start failed: QEMU exited with code 1')
  expect(error.message).toContain("no physical interface on bridge 'vmbr0'")
  expect(wordsForClient(error)).not.toMatch(/QEMU|vmbr0|bridge/)
})
