import type { Context } from '../context/context.ts'
import type { Vm } from '../state/types.ts'
import type { JobFunction } from '../tasks/task-runner.ts'
import { die } from '../wire/errors.ts'

export type Jobs = Record<string, JobFunction>
export type JobsOf = (sim: Context) => Jobs

export const numberArg = (args: Record<string, unknown>, name: string) => Number(args[name])

export function textArg(args: Record<string, unknown>, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' ? value : undefined
}

export const noConfig = (node: string, vmid: number) =>
  `Configuration file 'nodes/${node}/qemu-server/${vmid}.conf' does not exist`

export const noProcess = (node: string, vmid: number) =>
  `unable to find configuration file for VM ${vmid} on node '${node}'`

/** The VM a job works on; it may have been removed or moved before the worker starts. */
export function jobVm(
  sim: Context,
  args: Record<string, unknown>,
  node: string,
  words = noConfig,
): Vm {
  const vmid = numberArg(args, 'vmid')
  const vm = sim.state.vms.get(vmid)
  if (vm?.node !== node) throw die(words(node, vmid))
  return vm
}
