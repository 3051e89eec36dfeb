import { badParameters, die } from '../errors.ts'
import { NODE, VMID } from '../params.ts'
import type { Call, Check } from '../route.ts'
import type { Node, Vm } from '../types.ts'

export const NODE_PARAMS = { node: NODE }
export const VM_PARAMS = { node: NODE, vmid: VMID }

export const onVm = (...privileges: string[]): Check => ({ perm: '/vms/{vmid}', privileges })
export const onNode = (...privileges: string[]): Check => ({ perm: '/nodes/{node}', privileges })

/** There is no 404: a VM that is gone, or on another node, is a missing file. */
export function vmOf(call: Call): Vm {
  const vmid = call.number('vmid')
  const vm = call.sim.state.vms.get(vmid)
  if (!vm || vm.node !== call.node) {
    throw die(`Configuration file 'nodes/${call.node}/qemu-server/${vmid}.conf' does not exist`)
  }
  return vm
}

export function nodeOf(call: Call): Node {
  const node = call.sim.state.nodes.get(call.node)
  if (!node) throw die(`no such cluster node '${call.node}'`)
  return node
}

/** Only the user root@pam himself, never one of his tokens. */
export function rootOnly(call: Call, option: string): void {
  if (call.flag(option) === true && call.who.authid !== 'root@pam') {
    throw badParameters({ [option]: 'Only root may use this option.' })
  }
}

type TaskSpec = { type: string; id: string | number; name?: string; args?: Record<string, unknown> }

/** Forks a worker on the called node and returns its UPID. */
export function startTask(call: Call, spec: TaskSpec): string {
  return call.sim.tasks.start({
    node: call.node,
    type: spec.type,
    id: String(spec.id),
    authid: call.who.authid,
    job: { name: spec.name ?? spec.type, args: spec.args ?? {} },
  })
}
