import type { z } from 'zod'
import type { VmRef } from '../calls/vm-answers.ts'
import type { Caller, CallOptions } from '../transport/call.ts'
import { path } from '../wire/encoding.ts'
import { ClusterOptions, type FirewallOptions, Nothing, Options } from './answers.ts'

export type FirewallChange = {
  [name in 'dhcp' | 'enable' | 'ipfilter' | 'macfilter' | 'ndp' | 'radv']?: boolean
} & {
  [name in 'policy_in' | 'policy_out']?: 'ACCEPT' | 'DROP' | 'REJECT'
} & { [name in 'log_level_in' | 'log_level_out']?: 'nolog' }

export function firewallOptionCalls(call: Caller) {
  return {
    clusterOptions: (options?: CallOptions): Promise<z.output<typeof ClusterOptions>> =>
      call.get(path`/cluster/firewall/options`, ClusterOptions, options),

    options: ({ node, vmid }: VmRef, options?: CallOptions): Promise<FirewallOptions> =>
      call.get(path`/nodes/${node}/qemu/${vmid}/firewall/options`, Options, options),

    async setOptions({ node, vmid }: VmRef, change: FirewallChange, options?: CallOptions) {
      const at = path`/nodes/${node}/qemu/${vmid}/firewall/options`
      await call.send('PUT', at, Nothing, { ...options, parameters: change })
    },
  }
}
