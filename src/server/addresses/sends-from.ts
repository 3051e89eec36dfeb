import { poolOf } from '#shared/rules/network/pool.ts'
import { routedPrefix } from '#shared/rules/network/routed-prefix.ts'
import type { PoolRow } from './pool-rows.ts'

type Pools = readonly Pick<PoolRow, 'cidr' | 'prefixPerServer'>[]

/** The prefix that is routed to an address, by its pool. */
export function prefixOf(pools: Pools, address: string | null): string | undefined {
  const pool = address === null ? undefined : poolOf(pools, address)
  return pool && address !== null ? routedPrefix(pool, address) : undefined
}

/** What a server may send from: its addresses and the prefix that is routed to it. */
export function sendsFrom(server: { ipv4: string | null; ipv6: string | null; pools: Pools }) {
  const { ipv4, ipv6, pools } = server
  return [ipv4, ipv6, prefixOf(pools, ipv6)].filter((one) => typeof one === 'string')
}
