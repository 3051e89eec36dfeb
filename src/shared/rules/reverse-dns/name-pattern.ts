import { type Family, type Ip, parseIp } from '../network/ip.ts'
import { domainName } from './domain-name.ts'

const PLACE = /\{(\w*)\}/g
const OCTETS = ['a', 'b', 'c', 'd']

const EXAMPLE = {
  4: { pattern: '{a}-{b}-{c}-{d}.vps.example.net', address: '255.255.255.255' },
  6: {
    pattern: '{ip}.vps.example.net',
    address: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  },
} as const

/** What each place of a pattern stands for. */
function placesOf({ family, value }: Ip): Map<string, string> {
  const [count, bits, radix] = family === 4 ? [4, 8n, 10] : [8, 16n, 16]
  const mask = (1n << bits) - 1n
  const parts = Array.from({ length: count }, (_, index) =>
    ((value >> (BigInt(count - 1 - index) * bits)) & mask).toString(radix),
  )
  const octets = family === 4 ? OCTETS.map((name, at) => [name, parts[at] ?? ''] as const) : []
  return new Map([['ip', parts.join('-')], ...octets])
}

/**
 * The name that an address has by itself: `{ip}` is the address with hyphens, `{a}` to `{d}` are the
 * four numbers of IPv4. Undefined if the address is none.
 */
export function defaultName(pattern: string, address: string): string | undefined {
  const ip = parseIp(address)
  if (!ip) return undefined
  const places = placesOf(ip)
  return domainName(pattern.replaceAll(PLACE, (_, name: string) => places.get(name) ?? '{}'))
}

/** Why a pattern is none for this family; undefined if it gives every address a name of its own. */
export function patternProblem(pattern: string, family: Family): string | undefined {
  const { pattern: example, address } = EXAMPLE[family]
  const found = new Set(Array.from(pattern.matchAll(PLACE), ([, name]) => name))
  const isUnique = found.has('ip') || (family === 4 && OCTETS.every((name) => found.has(name)))
  if (isUnique && defaultName(pattern, address) !== undefined) return undefined
  return `A pattern is a name that holds the address, such as ${example}.`
}
