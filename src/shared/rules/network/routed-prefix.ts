import { type Cidr, formatCidr, parseCidr } from './cidr.ts'
import { formatIp, parseIp } from './ip.ts'

const BITS = 128

type Pool = { cidr: string; prefixPerServer?: number | null | undefined }

/**
 * A pool that gives each server a prefix of its own is cut into such prefixes. The first holds the
 * gateway and the servers' own addresses; the others belong to them by number: the server with the
 * address `…::a` has prefix number `a`. So a router can have all its routes before any sale.
 */
type Division = { network: Cidr; length: number; size: bigint; onLink: Cidr; count: bigint }

function divisionOf({ cidr, prefixPerServer }: Pool): Division | undefined {
  const network = parseCidr(cidr)
  if (network?.family !== 6 || !prefixPerServer || prefixPerServer <= network.prefix)
    return undefined
  const size = 1n << BigInt(BITS - prefixPerServer)
  const onLink = { ...network, prefix: prefixPerServer, last: network.first + size - 1n }
  const count = 1n << BigInt(prefixPerServer - network.prefix)
  return { network, length: prefixPerServer, size, onLink, count }
}

/** The network a server's card is in: the pool's, or its first part if servers have prefixes. */
export const linkOf = (pool: Pool): string => {
  const division = divisionOf(pool)
  return division ? formatCidr(division.onLink) : pool.cidr
}

/** The prefix that is routed to the server with this address. */
export function routedPrefix(pool: Pool, address: string): string | undefined {
  const division = divisionOf(pool)
  const ip = parseIp(address)
  if (!division || ip?.family !== 6) return undefined
  const number = ip.value - division.network.first
  if (number <= 0n || number >= division.count) return undefined
  const first = division.network.first + number * division.size
  return `${formatIp({ family: 6, value: first })}/${division.length}`
}

/** The last address of the pool whose server gets a prefix; undefined if it gives none. */
export function lastWithPrefix(pool: Pool): string | undefined {
  const division = divisionOf(pool)
  if (!division) return undefined
  const { network, size, count } = division
  const number = count < size ? count - 1n : size - 1n
  return formatIp({ family: 6, value: network.first + number })
}
