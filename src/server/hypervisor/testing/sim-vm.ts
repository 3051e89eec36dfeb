import type { Sim } from '#pve-sim/sim.ts'

/** A VM of the demo cluster as one that we made: it carries our marker. */
export function ownVm(sim: Sim, vmId: number, marker: string) {
  const vm = sim.state.vms.get(vmId)
  if (!vm) throw new Error(`the demo cluster has no VM ${vmId}`)
  vm.config.description = marker
  return { vm, address: { vmId, node: vm.node, marker } }
}
