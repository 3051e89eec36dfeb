import { familyOf, isAlias, wrongAddress } from '../formats/addresses.ts'
import type { FirewallRule, VmFirewall } from '../state/types.ts'
import { badParameters } from '../wire/errors.ts'

/** The few names of /etc/protocols and /etc/services that anyone uses here. */
const PROTOCOLS = new Set(
  'ip icmp igmp tcp udp gre esp ah sctp icmpv6 ipv6-icmp udplite dccp 1 2 6 17 33 47 50 51 58 132 136'.split(
    ' ',
  ),
)
const WITH_PORTS = new Set('udp 17 udplite 136 tcp 6 dccp 33 sctp 132'.split(' '))
const SERVICES = new Set('ssh smtp domain http pop3 ntp imap2 https submission'.split(' '))
const MACROS = 'DNS HTTP HTTPS Mail NTP OpenVPN Ping SMTP SSH Web'.split(' ')
const ICMP = new Set(['1', '58', 'icmp', 'icmpv6', 'ipv6-icmp'])
const MOST_PORTS = 15

const ICMP_TYPES = new Set(
  'any echo-reply echo-request destination-unreachable network-unreachable host-unreachable protocol-unreachable port-unreachable redirect router-advertisement router-solicitation time-exceeded parameter-problem timestamp-request timestamp-reply address-mask-request address-mask-reply no-route packet-too-big neighbor-solicitation neighbour-solicitation neighbor-advertisement neighbour-advertisement'.split(
    ' ',
  ),
)

/** Proxmox finds these while it reads the parameters. */
const badFormat = (name: string, why: string) =>
  badParameters({ [name]: `invalid format - ${why}\n` })

/** What is wrong with a list of ports, in Proxmox's words. */
function wrongPorts(list: string): string | undefined {
  const items = list.split(',')
  if (items.at(-1) === '') return 'extraneous commas in list'
  let count = 0
  for (const item of items) {
    const [, from, to] = /^(\d+)(?::(\d+))?$/.exec(item) ?? []
    if (from === undefined) {
      if (!SERVICES.has(item)) return `invalid port '${item}'`
      continue
    }
    const large = [from, to].find((port) => Number(port ?? 0) > 65_535)
    if (large !== undefined) return `invalid port '${large}'`
    if (to !== undefined && Number(from) > Number(to)) {
      return `backwards range '${from}:${to}' not allowed, did you mean '${to}:${from}'?`
    }
    count += to === undefined ? 1 : 2
  }
  return count > MOST_PORTS ? 'too many entries in port list (> 15 numbers)' : undefined
}

/** The family of a list of addresses; throws what is wrong with it. */
function familyOfList(name: string, list: string): 4 | 6 | undefined {
  if (list.startsWith('+') || isAlias(list)) return undefined
  let family: 4 | 6 | undefined
  const items = list.split(',')
  for (const item of items) {
    const ends = item.split('-')
    if (ends.length > 1 && items.length > 1)
      throw badFormat(name, "you can't use a range in a list")
    const why = wrongAddress(item)
    if (why !== undefined) throw badFormat(name, `invalid IP address: ${why}`)
    const found = familyOf(ends[0] ?? '')
    if (family !== undefined && family !== found) {
      throw badFormat(name, `detected mixed ipv4/ipv6 addresses in address list '${list}'`)
    }
    family = found
  }
  return family
}

function checkKind({ type, action, iface }: FirewallRule): void {
  if (!['in', 'out', 'group'].includes(type)) {
    throw badParameters({ type: `invalid rule type '${type}' for rule_env 'vm'` })
  }
  if (type !== 'group' && !['ACCEPT', 'DROP', 'REJECT'].includes(action)) {
    throw badParameters({ action: `unknown action '${action}'` })
  }
  if (iface !== undefined && !/^net\d+$/.test(iface)) {
    throw badParameters({ iface: "value does not match the regex pattern 'net\\d+'" })
  }
}

function checkPorts(rule: FirewallRule): void {
  const isIcmp = ICMP.has(rule.proto ?? '')
  for (const name of ['dport', 'sport'] as const) {
    const list = rule[name]
    if (!list) continue
    const wrong = wrongPorts(list)
    if (wrong) throw badFormat(name, wrong)
    if (!rule.proto) {
      throw badParameters({ proto: `missing property - '${name}' requires this property` })
    }
    if (!WITH_PORTS.has(rule.proto) && !(isIcmp && name === 'dport')) {
      throw badParameters({ [name]: `protocol '${rule.proto}' does not support ports` })
    }
  }
  const icmpType = rule['icmp-type']
  if (icmpType && !/^\d+(\/\d+)?$/.test(icmpType) && !ICMP_TYPES.has(icmpType)) {
    throw badFormat('icmp-type', `invalid icmp-type value '${icmpType}'`)
  }
  if (icmpType && !isIcmp) {
    throw badParameters({ proto: "missing property - 'icmp-type' requires this property" })
  }
}

const familyOfProtocol = (proto: string | undefined): 4 | 6 | undefined => {
  if (proto === 'icmp') return 4
  return proto === 'icmpv6' || proto === 'ipv6-icmp' ? 6 : undefined
}

/** What Proxmox checks beyond the form of each value; returns the rule as it is stored. */
export function checkedRule(rule: FirewallRule, file: VmFirewall): FirewallRule {
  checkKind(rule)
  const macro = MACROS.find((name) => name.toLowerCase() === rule.macro?.toLowerCase())
  if (rule.macro && !macro) throw badParameters({ macro: `unknown macro '${rule.macro}'` })
  if (rule.proto && !PROTOCOLS.has(rule.proto)) {
    throw badFormat('proto', `unknown protocol '${rule.proto}'`)
  }
  checkPorts(rule)
  let ipversion = familyOfProtocol(rule.proto)
  for (const name of ['source', 'dest'] as const) {
    const list = rule[name]
    if (!list) continue
    const found = familyOfList(name, list)
    if (ipversion && found && ipversion !== found) {
      throw badParameters({ [name]: 'detected mixed ipv4/ipv6 addresses in rule' })
    }
    ipversion ??= found
    const set = /^\+(?:guest\/|dc\/|sdn\/)?(.+)$/.exec(list)?.[1]
    if (set !== undefined && !Object.hasOwn(file.ipsets, set)) {
      throw badParameters({ [name]: `no such ipset '${set}'` })
    }
    if (isAlias(list)) throw badParameters({ [name]: `no such alias '${list}'` })
  }
  const { ipversion: _, enable, ...rest } = rule
  return asWritten({
    ...rest,
    enable: enable ? 1 : 0,
    ...(macro ? { macro } : {}),
    ...(ipversion ? { ipversion } : {}),
  })
}

/** Perl takes a lone 0 for nothing: it is accepted, and not written into the file. */
function asWritten(rule: FirewallRule): FirewallRule {
  const lost = Object.entries(rule).filter(([key, value]) => key !== 'enable' && value === '0')
  const kept = { ...rule }
  for (const [key] of lost) delete kept[key as keyof FirewallRule]
  return kept
}
