import { isIpv4 } from './ipv4.ts'

export type Ipv4Network = { first: number; last: number; prefix: number }

/** An address as a number, so that order and membership are arithmetic. */
export const toNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

/** `203.0.113.7/24` → the network it lies in; undefined if malformed. */
export function parseNetwork(cidr: string): Ipv4Network | undefined {
  const [address = '', length = ''] = cidr.split('/')
  const prefix = Number(length)
  if (!isIpv4(address) || !/^\d{1,2}$/.test(length) || prefix > 32) return undefined
  const size = 2 ** (32 - prefix)
  const first = Math.floor(toNumber(address) / size) * size
  return { first, last: first + size - 1, prefix }
}

/** Whether a machine can have this address in this network: not the first, not the broadcast. */
export function isHostIn(network: Ipv4Network, address: string): boolean {
  if (!isIpv4(address)) return false
  const number = toNumber(address)
  return number > network.first && number < network.last
}

export const overlaps = (a: Ipv4Network, b: Ipv4Network): boolean =>
  a.first <= b.last && b.first <= a.last
