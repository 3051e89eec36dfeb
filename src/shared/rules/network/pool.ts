import { type Cidr, isHost, overlaps, parseCidr } from './cidr.ts'
import { type Family, formatIp, parseIp } from './ip.ts'
import { lastWithPrefix } from './routed-prefix.ts'

export type AddressRange = { first: string; last: string }

type Shape = {
  family: Family
  cidr: string
  gateway: string
  ranges: readonly AddressRange[]
  reserved: readonly { address: string }[]
  prefixPerServer?: number | null | undefined
}

export type PoolProblem = { path: (string | number)[]; message: string }

/** The sizes a network of clients can have. */
const PREFIXES = { 4: { min: 8, max: 30 }, 6: { min: 16, max: 126 } } as const
const EXAMPLE = { 4: '203.0.113.0/24', 6: '2001:db8:1::/64' } as const

/** What is wrong with a pool on its own, each at its field. */
export function poolProblems(pool: Shape): PoolProblem[] {
  const network = parseCidr(pool.cidr)
  const { min, max } = PREFIXES[pool.family]
  if (network?.family !== pool.family) {
    return [{ path: ['cidr'], message: `Network must look like ${EXAMPLE[pool.family]}` }]
  }
  if (network.prefix < min || network.prefix > max) {
    return [{ path: ['cidr'], message: `The network must be between /${min} and /${max}.` }]
  }
  return [
    ...outside(network, pool, pool.gateway, ['gateway'], 'The gateway'),
    ...pool.ranges.flatMap((range, index) => rangeProblems(network, pool, range, index)),
    ...rangesMeet(pool.ranges),
    ...pool.reserved.flatMap(({ address }, index) =>
      outside(network, pool, address, ['reserved', index, 'address'], 'The reserved address'),
    ),
    ...prefixProblems(network, pool),
  ]
}

function outside(
  network: Cidr,
  { cidr }: Shape,
  address: string,
  path: (string | number)[],
  what: string,
): PoolProblem[] {
  const ip = parseIp(address)
  if (ip && isHost(network, ip)) return []
  const message = `${what} ${address} is no address for a machine in ${cidr}.`
  return [{ path, message }]
}

function rangeProblems(
  network: Cidr,
  pool: Shape,
  { first, last }: AddressRange,
  index: number,
): PoolProblem[] {
  const at = (field: string) => ['ranges', index, field]
  const ends = [
    ...outside(network, pool, first, at('first'), 'The first address'),
    ...outside(network, pool, last, at('last'), 'The last address'),
  ]
  if (ends.length > 0) return ends
  return numberOf(first) > numberOf(last)
    ? [{ path: at('last'), message: 'The last address must not come before the first.' }]
    : []
}

function rangesMeet(ranges: readonly AddressRange[]): PoolProblem[] {
  for (const [index, range] of ranges.entries()) {
    const other = ranges
      .slice(0, index)
      .find(
        ({ first, last }) =>
          numberOf(first) <= numberOf(range.last) && numberOf(range.first) <= numberOf(last),
      )
    if (!other) continue
    const message = `This range overlaps ${other.first} to ${other.last}.`
    return [{ path: ['ranges', index, 'first'], message }]
  }
  return []
}

function prefixProblems(network: Cidr, pool: Shape): PoolProblem[] {
  const { family, prefixPerServer, gateway, ranges } = pool
  if (prefixPerServer === null || prefixPerServer === undefined) return []
  const path = ['prefixPerServer']
  if (family === 4) return [{ path, message: 'Only an IPv6 pool gives each server a prefix.' }]
  if (prefixPerServer <= network.prefix) {
    const message = `A prefix per server must be smaller than the network: above /${network.prefix}.`
    return [{ path, message }]
  }
  const last = lastWithPrefix(pool) ?? ''
  const isAbove = (address: string) => numberOf(address) > numberOf(last)
  const beyond = ranges.findIndex((range) => isAbove(range.last))
  const message = (what: string) =>
    `With a /${prefixPerServer} per server, ${what} must not be above ${last}.`
  if (isAbove(gateway)) return [{ path: ['gateway'], message: message('the gateway') }]
  if (beyond === -1) return []
  return [{ path: ['ranges', beyond, 'last'], message: message('the last address') }]
}

/** -1 for an address that is none, so that a comparison never throws. */
const numberOf = (address: string): bigint => parseIp(address)?.value ?? -1n

/** The sentence that refuses a pool beside another one of its cluster; undefined if they fit. */
export function overlapRefusal(
  cidr: string,
  others: readonly { name: string; cidr: string }[],
): string | undefined {
  const network = parseCidr(cidr)
  const other = others.find((one) => {
    const parsed = parseCidr(one.cidr)
    return network && parsed && overlaps(network, parsed)
  })
  return other && `${cidr} overlaps ${other.cidr} of the pool “${other.name}”.`
}

/** In ascending order, as addresses are handed out and drawn. */
export const inOrder = (ranges: readonly AddressRange[]): AddressRange[] =>
  ranges.toSorted((a, b) => (numberOf(a.first) < numberOf(b.first) ? -1 : 1))

/** How many addresses the ranges hold. */
export const sizeOf = (ranges: readonly AddressRange[]): bigint =>
  ranges.reduce((sum, { first, last }) => sum + numberOf(last) - numberOf(first) + 1n, 0n)

/** The addresses from this place of the ranges on, in order. */
export function sliceOf(ranges: readonly AddressRange[], offset: bigint, count: number): string[] {
  const found: string[] = []
  let skip = offset
  for (const range of inOrder(ranges)) {
    const ip = parseIp(range.first)
    const size = sizeOf([range])
    if (!ip || skip >= size) {
      skip -= size
      continue
    }
    for (let at = skip; at < size && found.length < count; at += 1n) {
      found.push(formatIp({ family: ip.family, value: ip.value + at }))
    }
    skip = 0n
    if (found.length >= count) break
  }
  return found
}

/** The place of an address in the ranges; undefined outside them. */
export function placeOf(ranges: readonly AddressRange[], address: string): bigint | undefined {
  const value = numberOf(address)
  let before = 0n
  for (const range of inOrder(ranges)) {
    const first = numberOf(range.first)
    if (value >= first && value <= numberOf(range.last)) return before + value - first
    before += sizeOf([range])
  }
  return undefined
}

/** The pool whose network a machine with this address would be in. */
export const poolOf = <P extends { cidr: string }>(
  pools: readonly P[],
  address: string,
): P | undefined => {
  const ip = parseIp(address)
  return pools.find(({ cidr }) => {
    const network = parseCidr(cidr)
    return ip !== undefined && network !== undefined && isHost(network, ip)
  })
}
