import type { Check } from '../access/authorize.ts'
import { NODE, VMID } from '../formats/params.ts'
import type { Call } from '../http/route.ts'
import { noConfig, noProcess } from '../jobs/shared.ts'
import type { Node, Vm } from '../state/types.ts'
import { badParameters, die } from '../wire/errors.ts'

export const NODE_PARAMS = { node: NODE }
export const VM_PARAMS = { node: NODE, vmid: VMID }

export const onVm = (...privileges: string[]): Check => ({ perm: '/vms/{vmid}', privileges })
export const onNode = (...privileges: string[]): Check => ({ perm: '/nodes/{node}', privileges })

/** The VM in the path, if its configuration is on the called node. */
export function vmHere(call: Call): Vm | undefined {
  const vm = call.sim.state.vms.get(call.number('vmid'))
  return vm?.node === call.node ? vm : undefined
}

/** PVE has no 404: a VM that is gone, or on another node, is a missing file. */
export function vmOf(call: Call): Vm {
  const vm = vmHere(call)
  if (!vm) throw die(noConfig(call.node, call.number('vmid')))
  return vm
}

/** The same for calls that first check whether the VM runs; their message differs. */
export function processOf(call: Call): Vm {
  const vm = vmHere(call)
  if (!vm) throw die(noProcess(call.node, call.number('vmid')))
  return vm
}

export function nodeOf(call: Call): Node {
  const node = call.sim.state.nodes.get(call.node)
  if (!node) throw die(`no such cluster node '${call.node}'`)
  return node
}

/** Allows only the user root@pam itself, never one of its tokens. */
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
