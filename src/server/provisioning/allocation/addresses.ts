import { and, eq, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import { type PgColumn, unionAll } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/database.ts'
import { clusters, nodes } from '../../db/schema/infrastructure.ts'
import { instances, tokens } from '../../db/schema/stock.ts'

/**
 * Advisory lock, taken with the cluster's id by every transaction that allocates addresses or VM
 * ids of it.
 */
const ADDRESS_LOCK = 7_304_213

export const lockAddresses = (tx: Db, clusterId: number) =>
  tx.execute(sql`select pg_advisory_xact_lock(${ADDRESS_LOCK}, ${clusterId})`)

export type AddressHolder = { clusterId: number; address: string; tokenId: number | null }

/**
 * The holders of the addresses of these clusters, or of the given ones: tokens, existing VMs and
 * the cluster itself. A cancelled token holds its address as long as its VM is kept.
 */
export async function addressHolders(
  db: Db,
  clusterIds: number[],
  addresses?: string[],
): Promise<AddressHolder[]> {
  if (clusterIds.length === 0 || addresses?.length === 0) return []
  const asked = <T extends PgColumn>(column: T) =>
    addresses ? inArray(column, addresses) : isNotNull(column)
  const ofTokens = db
    .select({ clusterId: nodes.clusterId, address: tokens.ipAddress, tokenId: tokens.id })
    .from(tokens)
    .innerJoin(nodes, eq(nodes.id, tokens.nodeId))
    .where(
      and(
        inArray(nodes.clusterId, clusterIds),
        asked(tokens.ipAddress),
        or(ne(tokens.status, 'cancelled'), isNotNull(tokens.assignedInstanceId)),
      ),
    )
  const ofVms = db
    .select({
      clusterId: instances.clusterId,
      address: instances.ipAddress,
      tokenId: instances.tokenId,
    })
    .from(instances)
    .where(
      and(
        inArray(instances.clusterId, clusterIds),
        asked(instances.ipAddress),
        isNull(instances.missingSince),
      ),
    )
  const held = (await unionAll(ofVms, ofTokens)).flatMap(({ address, ...rest }) =>
    address === null ? [] : [{ ...rest, address }],
  )
  return [...held, ...(await seenAddresses(db, clusterIds, addresses))]
}

/**
 * Addresses that we did not allocate: of nodes, bridges and gateways, and of VMs that are not ours.
 */
async function seenAddresses(db: Db, clusterIds: number[], addresses?: string[]) {
  const ofClusters = await db
    .select({ clusterId: clusters.id, host: clusters.host, own: clusters.ownAddresses })
    .from(clusters)
    .where(inArray(clusters.id, clusterIds))
  const ofVms = await db
    .select({ clusterId: instances.clusterId, own: instances.seenAddresses })
    .from(instances)
    .where(
      and(
        inArray(instances.clusterId, clusterIds),
        isNull(instances.missingSince),
        sql`${instances.seenAddresses} <> '[]'::jsonb`,
      ),
    )
  const wanted = addresses && new Set(addresses)
  return [
    ...ofClusters.map(({ host, own, ...rest }) => ({ ...rest, own: [host, ...own] })),
    ...ofVms,
  ]
    .flatMap(({ clusterId, own }) => own.map((address) => ({ clusterId, address, tokenId: null })))
    .filter(({ address }) => wanted === undefined || wanted.has(address))
}

/** True if the address is held by anything but this token. */
export const isTaken = (
  holders: readonly AddressHolder[],
  wanted: { clusterId: number; address: string; tokenId?: number },
): boolean =>
  holders.some(
    ({ clusterId, address, tokenId }) =>
      clusterId === wanted.clusterId &&
      address === wanted.address &&
      (tokenId === null || tokenId !== wanted.tokenId),
  )
