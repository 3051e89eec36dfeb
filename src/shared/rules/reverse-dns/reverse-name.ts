import { parseCidr } from '../network/cidr.ts'
import { formatIp, type Ip, parseIp } from '../network/ip.ts'

const ROOT = { 4: 'in-addr.arpa', 6: 'ip6.arpa' } as const
/** How many bits one label of the reverse tree stands for, and how many labels there are. */
const LABELS = {
  4: { bits: 8, count: 4, radix: 10 },
  6: { bits: 4, count: 32, radix: 16 },
} as const

/** The labels of an address, the most specific first: octets of IPv4, nibbles of IPv6. */
function labelsOf({ family, value }: Ip): string[] {
  const { bits, count, radix } = LABELS[family]
  const mask = (1n << BigInt(bits)) - 1n
  return Array.from({ length: count }, (_, index) =>
    ((value >> BigInt(index * bits)) & mask).toString(radix),
  )
}

const joined = (ip: Ip, labels: string[]): string => [...labels, ROOT[ip.family]].join('.')

const isBelow = (name: string, zone: string): boolean => name.endsWith(`.${zone}`)
const withoutFirst = (name: string): string => name.slice(name.indexOf('.') + 1)

/**
 * The name that holds the PTR record of an address: 5.113.0.203.in-addr.arpa, or below a zone for a
 * part of a /24 the last number in that zone, 5.0-127.113.0.203.in-addr.arpa (RFC 2317). Undefined if
 * the zone is not about this address.
 */
export function reverseName(address: string, zone: string): string | undefined {
  const ip = parseIp(address)
  if (!ip) return undefined
  const labels = labelsOf(ip)
  const name = joined(ip, labels)
  if (isBelow(name, zone)) return name
  const isPart = ip.family === 4 && withoutFirst(zone) === withoutFirst(name)
  return isPart ? `${labels[0]}.${zone}` : undefined
}

/** Why a zone cannot hold the names of a network; undefined if it can. */
export function zoneProblem(cidr: string, zone: string): string | undefined {
  const network = parseCidr(cidr)
  if (!network) return undefined
  const { family, prefix, first } = network
  const { bits, count } = LABELS[family]
  const ip = { family, value: first }
  const fixed = Math.min(Math.floor(prefix / bits), count - 1)
  const widest = joined(ip, labelsOf(ip).slice(count - fixed))
  if (widest === zone || isBelow(widest, zone)) return undefined
  const isPart = family === 4 && prefix > 24 && withoutFirst(zone) === widest
  if (isPart) return undefined
  return `The reverse zone must hold the whole network ${formatIp(ip)}/${prefix}, such as ${widest}.`
}

/** The zone that a name server would look the name up in: the longest one that holds it. */
export const zoneOf = (name: string, zones: readonly string[]): string | undefined =>
  zones
    .filter((zone) => isBelow(name, zone))
    .toSorted((a, b) => b.length - a.length)
    .at(0)
