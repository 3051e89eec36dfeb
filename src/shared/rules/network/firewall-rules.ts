import { formatCidr, parseCidr } from './cidr.ts'
import { canonicalIp, type Family, parseIp } from './ip.ts'

export const MOST_RULES = 50
export const LONGEST_COMMENT = 100
/** So many port numbers fit in one rule of Proxmox; a range is two. */
const MOST_PORTS = 15

/** Rules that are not confirmed for so long are taken back. */
export const TRIAL_SECONDS = 60

export const DIRECTIONS = ['in', 'out'] as const
export const ACTIONS = ['ACCEPT', 'DROP', 'REJECT'] as const
export const PROTOCOLS = ['tcp', 'udp', 'icmp', 'icmpv6', 'esp', 'gre'] as const
/** What becomes of incoming packets that no rule names. */
export const INCOMING = ['ACCEPT', 'DROP'] as const

export type Protocol = (typeof PROTOCOLS)[number]
export type Incoming = (typeof INCOMING)[number]

/** One rule of a client, as it is stored. */
export type ClientRule = {
  direction: (typeof DIRECTIONS)[number]
  action: (typeof ACTIONS)[number]
  protocol?: Protocol | undefined
  /** `80`, `8000:8100`, or several of both with commas. */
  ports?: string | undefined
  /** Of an incoming rule: the address or network it comes from. */
  source?: string | undefined
  /** Of an outgoing rule: the address or network it goes to. */
  destination?: string | undefined
  comment?: string | undefined
}

/** In their order: the first rule that names a packet decides. */
export type ClientFirewall = { incoming: Incoming; rules: ClientRule[] }

/** What a server begins with. */
export const OPEN_FIREWALL: ClientFirewall = { incoming: 'ACCEPT', rules: [] }

/**
 * What is meant where nothing is said: rules that let something in are of use only if the rest is
 * refused.
 */
export const incomingOf = (rules: readonly Pick<ClientRule, 'action' | 'direction'>[]): Incoming =>
  rules.some(({ direction, action }) => direction === 'in' && action === 'ACCEPT')
    ? 'DROP'
    : 'ACCEPT'

export const hasPorts = (protocol: Protocol | undefined): boolean =>
  protocol === 'tcp' || protocol === 'udp'

/** `80, 8000-8100` → `80,8000:8100`, the way Proxmox writes it. */
export const portsAsStored = (text: string): string =>
  text.replaceAll(/\s+/g, '').replaceAll(/[-–]/g, ':')

const FORM = 'Ports look like 443, 8000-8100, or 80,443.'

/** Why these ports, as stored, cannot be used; undefined if they can. */
export function portsRefusal(ports: string): string | undefined {
  let numbers = 0
  for (const item of ports.split(',')) {
    const [, first, last] = /^(\d{1,5})(?::(\d{1,5}))?$/.exec(item) ?? []
    if (first === undefined) return FORM
    const [from, to] = [Number(first), Number(last ?? first)]
    if (from < 1 || Math.max(from, to) > 65_535) return 'A port is a number from 1 to 65535.'
    if (from > to) return `The range ${from}-${to} runs backwards: write ${to}-${from}.`
    numbers += last === undefined ? 1 : 2
  }
  if (numbers <= MOST_PORTS) return undefined
  return `One rule takes at most ${MOST_PORTS} ports; a range counts as two. Make a second rule.`
}

/** One address, or the network it lies in: 203.0.113.7/24 is 203.0.113.0/24. */
export function placeAsStored(text: string): string | undefined {
  if (!text.includes('/')) return canonicalIp(text)
  const network = parseCidr(text)
  return network && formatCidr(network)
}

const familyOf = (place: string): Family | undefined => parseIp(place.split('/')[0] ?? '')?.family

const FAMILIES: { [protocol in Protocol]?: Family } = { icmp: 4, icmpv6: 6 }

type RuleFault = { field: 'destination' | 'ports' | 'source'; message: string }

/** What does not fit together in a rule whose fields are right, each for itself. */
export function ruleFault(rule: ClientRule): RuleFault | undefined {
  const { direction, protocol, ports, source, destination } = rule
  if (ports !== undefined && !hasPorts(protocol)) {
    return {
      field: 'ports',
      message: 'Only TCP and UDP have ports: choose one, or leave them out.',
    }
  }
  if (direction === 'out' && source !== undefined) {
    return {
      field: 'source',
      message: 'An outgoing rule has no source: it always comes from this server.',
    }
  }
  if (direction === 'in' && destination !== undefined) {
    return {
      field: 'destination',
      message: 'An incoming rule has no destination: it always goes to this server.',
    }
  }
  const place = source ?? destination
  const family = protocol && FAMILIES[protocol]
  if (place === undefined || family === undefined || familyOf(place) === family) return undefined
  const field = source === undefined ? 'destination' : 'source'
  const name = protocol === 'icmp' ? 'ICMP' : 'ICMPv6'
  return { field, message: `${name} is of IPv${family}: give an IPv${family} address, or none.` }
}
