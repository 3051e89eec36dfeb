import { isIPv6 } from 'node:net'

/** tor's HiddenServiceExportCircuitID: each circuit is an address of this /64. */
const CIRCUITS = 'fc00:dead:beef:4dad'

/** A network that is counted as one, and its allowance as a multiple of a single address's. */
export type CountedNetwork = { key: string; share: number }

/**
 * The networks an address is counted in. One household has a whole /64 of IPv6, one customer a /56,
 * one rented server often a /48: each is counted, with a growing allowance, or the limit would have
 * no effect.
 */
export function countedNetworks(address: string): CountedNetwork[] {
  const groups = groupsOf(address)
  if (groups === undefined) return [{ key: plain(address), share: 1 }]
  const [a = '0', b = '0', c = '0', d = '0'] = groups
  const key = [a, b, c, d].join(':')
  if (key === CIRCUITS) return [{ key: groups.join(':'), share: 1 }]
  const customer = d.padStart(4, '0').slice(0, 2)
  return [
    { key, share: 1 },
    { key: `${a}:${b}:${c}:${customer}::/56`, share: 1.5 },
    { key: `${a}:${b}:${c}::/48`, share: 2 },
  ]
}

/** The smallest of them. */
export const addressKey = (address: string): string => countedNetworks(address)[0]?.key ?? address

const plain = (address: string) => mappedIpv4(address) ?? address
const mappedIpv4 = (address: string) => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] | undefined {
  if (!isIPv6(address) || mappedIpv4(address) !== undefined) return undefined
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0')
  return [...front, ...zeros, ...back].map((group) => group.replace(/^0+(?=.)/, ''))
}
