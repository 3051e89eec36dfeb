import { and, eq, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { canonicalIp } from '#shared/rules/network/ip.ts'
import type { Db } from '../db/database.ts'
import { clusters, nodes } from '../db/schema/infrastructure.ts'
import { instances, tokens } from '../db/schema/stock.ts'

/**
 * What has an address: a server, a token that is on sale or being delivered, or something that we
 * only saw.
 */
export type Claim = { address: string } & (
  | { kind: 'used' | 'held'; tokenId: number | null; instanceId: number | null }
  | { kind: 'seen'; reason: string }
)

type Which = { clusterId: number; addresses?: readonly string[] }

/** Every claim on the addresses of a cluster, or on these of them, by address. */
export async function claimsOn(db: Db, which: Which): Promise<Map<string, Claim[]>> {
  if (which.addresses?.length === 0) return new Map()
  const wanted = which.addresses && new Set(which.addresses)
  const found = [
    ...(await ofTokens(db, which)),
    ...(await ofVms(db, which)),
    ...(await ofCluster(db, which)),
  ].flatMap((claim) => {
    const address = canonicalIp(claim.address)
    return address && (!wanted || wanted.has(address)) ? [{ ...claim, address }] : []
  })
  return Map.groupBy(found, ({ address }) => address)
}

const asked = (columns: PgColumn[], { addresses }: Which) =>
  or(...columns.map((one) => (addresses ? inArray(one, [...addresses]) : isNotNull(one))))

/** A cancelled token has its address as long as its VM is kept. */
async function ofTokens(db: Db, which: Which): Promise<Claim[]> {
  const rows = await db
    .select({
      ipv4: tokens.ipAddress,
      ipv6: tokens.ipv6Address,
      tokenId: tokens.id,
      instanceId: tokens.assignedInstanceId,
    })
    .from(tokens)
    .innerJoin(nodes, eq(nodes.id, tokens.nodeId))
    .where(
      and(
        eq(nodes.clusterId, which.clusterId),
        asked([tokens.ipAddress, tokens.ipv6Address], which),
        or(ne(tokens.status, 'cancelled'), isNotNull(tokens.assignedInstanceId)),
      ),
    )
  return rows.flatMap(({ ipv4, ipv6, ...row }): Claim[] =>
    [ipv4, ipv6]
      .filter((one) => one !== null)
      .map((address) => ({ ...row, address, kind: row.instanceId === null ? 'held' : 'used' })),
  )
}

/** Of VMs that we made or that a client has, and of all others in the cluster. */
async function ofVms(db: Db, which: Which): Promise<Claim[]> {
  const rows = await db
    .select({
      id: instances.id,
      vmId: instances.vmId,
      name: instances.name,
      status: instances.status,
      marker: instances.marker,
      ownerId: instances.ownerId,
      tokenId: instances.tokenId,
      ipv4: instances.ipAddress,
      ipv6: instances.ipv6Address,
      seen: instances.seenAddresses,
    })
    .from(instances)
    .where(
      and(
        eq(instances.clusterId, which.clusterId),
        isNull(instances.missingSince),
        or(
          asked([instances.ipAddress, instances.ipv6Address], which),
          sql`${instances.seenAddresses} <> '[]'::jsonb`,
        ),
      ),
    )
  return rows.flatMap(({ id: instanceId, vmId, name, tokenId, ...row }): Claim[] => {
    const given = [row.ipv4, row.ipv6].filter((one) => one !== null)
    const own = [...new Set([...given, ...row.seen])]
    const isOurs = row.marker !== null || row.ownerId !== null
    if (!isOurs) {
      const reason = `VM ${vmId} (${name})`.slice(0, 200)
      return own.map((address) => ({ address, kind: 'seen', reason }))
    }
    const kind = row.status === 'creating' ? 'held' : 'used'
    return own.map((address) => ({ address, kind, tokenId, instanceId }))
  })
}

async function ofCluster(db: Db, { clusterId }: Which): Promise<Claim[]> {
  const rows = await db
    .select({ host: clusters.host, own: clusters.ownAddresses })
    .from(clusters)
    .where(eq(clusters.id, clusterId))
  const reason = 'A node, bridge or gateway of the cluster'
  return rows
    .flatMap(({ host, own }) => [host, ...own])
    .map((address) => ({ address, kind: 'seen', reason }))
}
