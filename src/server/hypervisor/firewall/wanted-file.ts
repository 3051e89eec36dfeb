import type { FirewallChange } from '#proxmox/firewall/options.ts'
import type { NewRule } from '#proxmox/firewall/rules.ts'
import { canonicalIp } from '#shared/rules/network/ip.ts'
import type { WishedRule } from '../port/firewall.ts'

/** The set by which Proxmox filters what the first card sends. */
export const IPFILTER = 'ipfilter-net0'

/**
 * Each value is written, because unset ones have other meanings than their description says
 * (facts-2 §7). Without a rule everything is allowed: the guest's own firewall stays in charge.
 */
export const OPTIONS = {
  enable: true,
  macfilter: true,
  ipfilter: true,
  dhcp: false,
  ndp: true,
  radv: false,
  policy_in: 'ACCEPT',
  policy_out: 'ACCEPT',
  log_level_in: 'nolog',
  log_level_out: 'nolog',
} as const satisfies FirewallChange

/** What the card may send from, as Proxmox stores it. */
export function membersOf(addresses: readonly string[], mac: string): string[] {
  return [...new Set([...addresses.map(storedAs), linkLocalOf(mac)])].toSorted()
}

/** One address without its prefix; of networks, callers give the first address. */
function storedAs(cidr: string): string {
  const [address = '', length] = cidr.split('/')
  const text = canonicalIp(address) ?? address
  const isOne = length === undefined || length === (text.includes(':') ? '128' : '32')
  return isOne ? text : `${text}/${length}`
}

/**
 * The link-local address that a card derives from its MAC. Without it IPv6 does not work at all;
 * only one of Proxmox's two firewalls adds it by itself.
 */
function linkLocalOf(mac: string): string {
  const [first = 0, ...rest] = mac.split(':').map((byte) => Number.parseInt(byte, 16))
  const bytes = [first ^ 0x02, ...rest.slice(0, 2), 0xff, 0xfe, ...rest.slice(2)]
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return canonicalIp(`fe80::${hex.match(/.{4}/g)?.join(':')}`) ?? ''
}

/**
 * Proxmox writes a comment at the end of its rule's line: what follows a line break would be a rule
 * of its own (facts-3 §21). It is read back without the spaces around it.
 */
const oneLine = (comment: string | undefined) => comment?.replace(/\s+/g, ' ').trim() || undefined

export const ruleOf = (rule: WishedRule): NewRule => ({
  type: rule.direction,
  action: rule.action,
  enable: true,
  proto: rule.protocol,
  source: rule.source,
  dest: rule.destination,
  dport: rule.ports,
  comment: oneLine(rule.comment),
})
