import type { Caller } from '../transport/call.ts'
import { firewallSetCalls } from './ipsets.ts'
import { firewallOptionCalls } from './options.ts'
import { firewallRuleCalls } from './rules.ts'

/**
 * The firewall file of a VM. No call makes a task; PVE applies changes within ten seconds. It does
 * not ask whether there is such a VM, so a caller must have looked.
 */
export const firewallCalls = (call: Caller) => ({
  ...firewallOptionCalls(call),
  ...firewallSetCalls(call),
  ...firewallRuleCalls(call),
})
