import { holds } from '../formats/addresses.ts'
import { parseProperties } from '../formats/property-string.ts'
import type { ClusterData, FirewallRule, IpsetEntry, Vm, VmFirewall } from '../state/types.ts'
import { readFirewall } from '../vm/firewall-file.ts'

type Proto = 'icmp' | 'icmpv6' | 'tcp' | 'udp'

/** A packet that a guest sends by its first card. */
export type Packet = {
  mac: string
  source: string
  dest?: string
  proto?: Proto
  dport?: number
  /** A DHCP server's answer, or a request for one. */
  isDhcp?: boolean
  /** Of a connection that was let through: no rule is asked again. */
  isReply?: boolean
}

export type Backend = 'iptables' | 'nftables'

/** The link-local address that a card derives from its MAC. */
export function linkLocalOf(mac: string): string {
  const bytes = mac.split(':').map((byte) => Number.parseInt(byte, 16))
  const [first = 0, ...rest] = bytes
  const id = [first ^ 2, ...rest.slice(0, 2), 0xff, 0xfe, ...rest.slice(2)]
  const group = (at: number) => (((id[at] ?? 0) << 8) | (id[at + 1] ?? 0)).toString(16)
  return `fe80::${[0, 2, 4, 6].map(group).join(':')}`
}

/** A set that this backend filters by; undefined where it does not filter. */
function ipfilter(file: VmFirewall, mac: string, backend: Backend): IpsetEntry[] | undefined {
  const own = file.ipsets['ipfilter-net0']?.entries
  const isOn = file.options.ipfilter === 1
  if (backend === 'nftables') {
    if (!isOn) return undefined
    return own ?? [{ cidr: linkLocalOf(mac) }]
  }
  if (own === undefined && !isOn) return undefined
  // Here every set also holds the card's own link-local address.
  return [...(own ?? []), { cidr: linkLocalOf(mac) }, { cidr: 'fe80::/10', nomatch: 1 }]
}

const isPort = (list: string | undefined, port: number | undefined) =>
  list === undefined ||
  list.split(',').some((item) => {
    const [from, to = from] = item.split(':').map(Number)
    return port !== undefined && port >= Number(from) && port <= Number(to)
  })

type Header = Pick<Packet, 'source' | 'dest' | 'proto' | 'dport' | 'isReply'>

/** The addresses of a rule, as `holds` reads them; one that a packet does not have is not in it. */
const isAt = (list: string | undefined, address: string | undefined) =>
  list === undefined ||
  (address !== undefined &&
    holds(
      list.split(',').map((cidr) => ({ cidr })),
      address,
    ))

const matches = (rule: FirewallRule, type: 'in' | 'out', packet: Header) =>
  rule.type === type &&
  rule.enable > 0 &&
  (rule.proto === undefined || rule.proto === packet.proto) &&
  isAt(rule.source, packet.source) &&
  isAt(rule.dest, packet.dest) &&
  isPort(rule.dport, packet.dport)

const isOff = (data: ClusterData, vm: Vm, file: VmFirewall) => {
  const card = parseProperties(vm.config.net0 ?? '', 'model')
  const isOn = Number(data.firewallOptions?.enable ?? 0) > 0 && file.options.enable === 1
  return !isOn || card.get('firewall') !== '1'
}

/** Whether a new connection from outside reaches the guest; both firewalls decide it alike. */
export function arrives(data: ClusterData, vm: Vm, packet: Header): boolean {
  const file = readFirewall(data, vm.vmid)
  if (isOff(data, vm, file) || packet.isReply) return true
  const rule = file.rules.find((one) => matches(one, 'in', packet))
  return (rule?.action ?? file.options.policy_in ?? 'DROP') === 'ACCEPT'
}

/** Whether a packet leaves the guest, as each of Proxmox's two firewalls decides it. */
export function passes(data: ClusterData, vm: Vm, packet: Packet, backend: Backend): boolean {
  const file = readFirewall(data, vm.vmid)
  if (isOff(data, vm, file)) return true
  const mac = /([0-9a-f]{2}:){5}[0-9a-f]{2}/i.exec(vm.config.net0 ?? '')?.[0] ?? ''
  const filter = ipfilter(file, mac, backend)
  const isForged =
    (file.options.macfilter !== 0 && packet.mac.toUpperCase() !== mac.toUpperCase()) ||
    (filter !== undefined && !holds(filter, packet.source))
  // With iptables, DHCP is let out before any filter, unless it was switched off.
  const leavesFirst = backend === 'iptables' && packet.isDhcp && file.options.dhcp !== 0
  if (leavesFirst) return true
  if (isForged) return false
  if (packet.isReply) return true
  const rule = file.rules.find((one) => matches(one, 'out', packet))
  return (rule?.action ?? file.options.policy_out ?? 'ACCEPT') === 'ACCEPT'
}
