import { z } from 'zod'
import type { VmRef } from '../calls/vm-answers.ts'
import type { Caller, CallOptions } from '../transport/call.ts'
import { path } from '../wire/encoding.ts'
import { type FirewallRule, Nothing, Rule } from './answers.ts'

/** A rule as it is sent. PVE puts it in front of all others (facts-2 §0.4). */
export type NewRule = {
  type: 'in' | 'out'
  action: 'ACCEPT' | 'DROP' | 'REJECT'
  /** PVE stores a rule switched off unless told otherwise. */
  enable: boolean
  proto?: string | undefined
  source?: string | undefined
  dest?: string | undefined
  dport?: string | undefined
  'icmp-type'?: string | undefined
  comment?: string | undefined
}

export function firewallRuleCalls(call: Caller) {
  return {
    rules: ({ node, vmid }: VmRef, options?: CallOptions): Promise<FirewallRule[]> =>
      call.get(path`/nodes/${node}/qemu/${vmid}/firewall/rules`, z.array(Rule), options),

    /** In front of all others. */
    async addRule({ node, vmid }: VmRef, rule: NewRule, options?: CallOptions) {
      const at = path`/nodes/${node}/qemu/${vmid}/firewall/rules`
      await call.send('POST', at, Nothing, { ...options, parameters: { ...rule } })
    },

    /** Only the one at this position is changed. */
    async switchOnRule({ node, vmid }: VmRef, pos: number, options?: CallOptions) {
      const at = path`/nodes/${node}/qemu/${vmid}/firewall/rules/${pos}`
      await call.send('PUT', at, Nothing, { ...options, parameters: { enable: true } })
    },

    /** `digest` from the list this position was read from: positions shift. */
    async removeRule(
      { node, vmid }: VmRef,
      { pos, digest }: { pos: number; digest: string | undefined },
      options?: CallOptions,
    ) {
      const at = path`/nodes/${node}/qemu/${vmid}/firewall/rules/${pos}`
      await call.send('DELETE', at, Nothing, { ...options, parameters: { digest } })
    },
  }
}
