import type { FirewallFault } from '#shared/rules/network/firewall-faults.ts'
import type { VmAddress } from './tasks.ts'

export type FirewallActs = {
  /**
   * Makes a VM's firewall what is wished, reads all of it back, and says what does not hold; empty
   * if it holds.
   */
  setFirewall(vm: VmAddress, wish: FirewallWish): Promise<FirewallFault[]>
  /** The same, without changing anything. */
  firewallFaults(vm: VmAddress, wish: FirewallWish): Promise<FirewallFault[]>
}

/** What a VM's firewall is to be, whole: rules and addresses that are not named here are removed. */
export type FirewallWish = {
  /** Addresses and networks that the VM may send from. */
  addresses: readonly string[]
  /** In their order. What none of them names is allowed. */
  rules: readonly WishedRule[]
}

export type WishedRule = {
  direction: 'in' | 'out'
  action: 'ACCEPT' | 'DROP' | 'REJECT'
  protocol?: string | undefined
  /** `80`, `8000:8100`, or several of both with commas. */
  ports?: string | undefined
  /** Addresses or networks: of what comes in, and of what goes out. */
  source?: string | undefined
  destination?: string | undefined
  comment?: string | undefined
}
