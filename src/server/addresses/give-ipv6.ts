import { eq } from 'drizzle-orm'
import { poolOf } from '#shared/rules/network/pool.ts'
import type { Db } from '../db/database.ts'
import { nodes } from '../db/schema/infrastructure.ts'
import { tokens } from '../db/schema/stock.ts'
import type { TokenRow } from '../tokens/token-rows.ts'
import { handsOut, poolsOf } from './pool-rows.ts'
import { settleAddresses } from './settle-addresses.ts'
import { takeFreeAddress } from './take-address.ts'

type Place = { clusterId: number; now: Date }

/**
 * Takes an IPv6 address for a server that has this IPv4 address: a server has one card, so both must
 * be of pools in one network. Undefined if no such pool has one left; the server is sold without it
 * then. Without an IPv4 address any IPv6 pool will do.
 */
export async function takeIpv6(
  tx: Db,
  { clusterId, now }: Place,
  ipv4: string | null,
): Promise<string | undefined> {
  const pools = await poolsOf(tx, [clusterId])
  const beside = ipv4 === null ? undefined : poolOf(pools, ipv4)
  if (ipv4 !== null && !beside) return undefined
  const poolIds = pools
    .filter((pool) => pool.family === 6 && handsOut(pool))
    .filter(({ bridge, vlan }) => !beside || (bridge === beside.bridge && vlan === beside.vlan))
    .map(({ id }) => id)
  if (poolIds.length === 0) return undefined
  return await takeFreeAddress(tx, { clusterId, family: 6, now, poolIds })
}

/** Gives a token that is just being sold its IPv6 address. One that sells a running VM gets none. */
export async function giveIpv6(tx: Db, token: TokenRow, now: Date): Promise<TokenRow> {
  if (token.tokenType !== 'ip_mac' || token.ipv6Address !== null || token.nodeId === null) {
    return token
  }
  const [node] = await tx
    .select({ clusterId: nodes.clusterId })
    .from(nodes)
    .where(eq(nodes.id, token.nodeId))
  if (!node) return token
  const place = { clusterId: node.clusterId, now }
  const ipv6Address = await takeIpv6(tx, place, token.ipAddress)
  if (ipv6Address === undefined) return token
  await tx.update(tokens).set({ ipv6Address }).where(eq(tokens.id, token.id))
  await settleAddresses(tx, place, [ipv6Address])
  return { ...token, ipv6Address }
}
