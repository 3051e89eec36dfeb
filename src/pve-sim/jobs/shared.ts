import type { Context } from '../context.ts'
import { die } from '../errors.ts'
import type { JobFunction } from '../tasks.ts'
import type { Vm } from '../types.ts'

export type Jobs = Record<string, JobFunction>
export type JobsOf = (sim: Context) => Jobs

export const numberArg = (args: Record<string, unknown>, name: string) => Number(args[name])

export function textArg(args: Record<string, unknown>, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' ? value : undefined
}

/** The VM a job works on; it may be gone or elsewhere by the time the worker looks. */
export function jobVm(sim: Context, args: Record<string, unknown>, node: string): Vm {
  const vmid = numberArg(args, 'vmid')
  const vm = sim.state.vms.get(vmid)
  if (!vm || vm.node !== node) {
    throw die(`Configuration file 'nodes/${node}/qemu-server/${vmid}.conf' does not exist`)
  }
  return vm
}
