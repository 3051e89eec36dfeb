/**
 * Why a server's firewall does not hold. The first four are what a cluster shows: the datacenter's
 * firewall or its filter of Ethernet frames is off, we may not look at it, or the VM's own firewall
 * is not as it should be. The others are ours.
 */
export const FIREWALL_FAULTS = [
  'datacenter-off',
  'datacenter-unseen',
  'frames-unfiltered',
  'differs',
  'refused',
  'no-address',
  'not-ours',
  'unchecked',
] as const
export type FirewallFault = (typeof FIREWALL_FAULTS)[number]

/** What an operator reads, and does. */
const FOR_OPERATORS: Record<FirewallFault, string> = {
  'datacenter-off':
    'The datacenter firewall is off. Allow the address of this panel in the set “management”, then switch it on in Proxmox under Datacenter, Firewall, Options.',
  'datacenter-unseen':
    'The account may not see whether the datacenter firewall is on: grant it Sys.Audit on /.',
  'frames-unfiltered':
    'The option ebtables of the datacenter firewall is off, so forged ARP answers pass: switch it on.',
  differs: 'Its firewall in Proxmox is another one than it should be.',
  refused: 'The account may not set its firewall: grant it VM.Config.Network.',
  'no-address': 'It has no address of a pool, so it cannot be told which addresses are its own.',
  'not-ours': 'It was made in Proxmox: its firewall is set there.',
  unchecked: 'Its firewall was not looked at yet.',
}

export const faultForOperators = (fault: FirewallFault): string => FOR_OPERATORS[fault]
