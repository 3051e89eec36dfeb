import { type Family, formatIp, type Ip, parseIp } from './ip.ts'

export type Cidr = { family: Family; prefix: number; first: bigint; last: bigint }

const BITS = { 4: 32, 6: 128 } as const

/** `203.0.113.7/24` → the network it lies in; undefined if malformed. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length = '', ...more] = text.trim().split('/')
  const ip = parseIp(address)
  const prefix = Number(length)
  if (!ip || more.length > 0 || !/^\d{1,3}$/.test(length)) return undefined
  if (prefix > BITS[ip.family]) return undefined
  const size = 1n << BigInt(BITS[ip.family] - prefix)
  const first = (ip.value / size) * size
  return { family: ip.family, prefix, first, last: first + size - 1n }
}

/** `203.0.113.7/24` is stored as `203.0.113.0/24`. */
export const formatCidr = ({ family, prefix, first }: Cidr): string =>
  `${formatIp({ family, value: first })}/${prefix}`

/**
 * Whether a machine can have this address in this network: not the network's own, and with IPv4 not
 * the broadcast.
 */
export function isHostIn(network: Cidr, address: string): boolean {
  const ip = parseIp(address)
  return ip !== undefined && isHost(network, ip)
}

export const isHost = ({ family, first, last }: Cidr, ip: Ip): boolean =>
  ip.family === family && ip.value > first && (family === 4 ? ip.value < last : ip.value <= last)

export const overlaps = (a: Cidr, b: Cidr): boolean =>
  a.family === b.family && a.first <= b.last && b.first <= a.last

/** With its network's prefix, as a guest needs it: 203.0.113.5/24. */
export const withPrefix = (address: string, cidr: string): string =>
  `${address}/${cidr.split('/')[1] ?? '32'}`
