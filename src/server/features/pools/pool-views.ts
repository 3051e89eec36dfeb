import { and, asc, eq, inArray, notInArray } from 'drizzle-orm'
import type { z } from 'zod'
import type { AddressState, Pool, pools as route } from '#shared/api/servers/pools.ts'
import { placeOf, sizeOf, sliceOf } from '#shared/rules/network/pool.ts'
import type { PoolRow } from '../../addresses/pool-rows.ts'
import type { Db } from '../../db/database.ts'
import { addresses, pools } from '../../db/schema/addresses.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances, tokens } from '../../db/schema/stock.ts'

type Page = z.input<(typeof route)['addresses']['response']>
type Shown = Page['addresses'][number]

/** More than a page shows; a JSON number holds no more than this exactly. */
const limited = (size: bigint): number =>
  size > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(size)

/** The pools with how many of their addresses are in which state, or one of them. */
export async function poolViews(db: Db, now: Date, id?: number): Promise<z.input<typeof Pool>[]> {
  const rows = await db
    .select({ pool: pools, clusterName: clusters.name })
    .from(pools)
    .innerJoin(clusters, eq(clusters.id, pools.clusterId))
    .where(id === undefined ? undefined : eq(pools.id, id))
    .orderBy(asc(pools.clusterId), asc(pools.id))
  const taken = await countedRows(
    db,
    rows.map(({ pool }) => pool),
    now,
  )
  return rows.map(({ pool: { laidOut: _, ...pool }, clusterName }) => {
    const counts = taken.get(pool.id) ?? { held: 0, used: 0, reserved: 0, cooling: 0 }
    const busy = Object.values(counts).reduce((sum, of) => sum + of, 0)
    const free = sizeOf(pool.ranges) - BigInt(busy)
    return { ...pool, clusterName, counts: { ...counts, free: limited(free) } }
  })
}

type Busy = Record<Exclude<AddressState, 'free'>, number>

/** Counts what lies in the ranges: a node's address outside of them takes none from clients. */
async function countedRows(db: Db, list: PoolRow[], now: Date): Promise<Map<number, Busy>> {
  const rows = await db
    .select({
      poolId: addresses.poolId,
      address: addresses.address,
      state: addresses.state,
      until: addresses.until,
    })
    .from(addresses)
    .where(
      and(
        inArray(
          addresses.poolId,
          list.map(({ id }) => id),
        ),
        notInArray(addresses.state, ['free']),
      ),
    )
  const byId = new Map(list.map((pool) => [pool.id, pool]))
  const counts = new Map<number, Busy>()
  for (const { poolId, address, state, until } of rows) {
    const pool = byId.get(poolId)
    if (!pool || state === 'free' || placeOf(pool.ranges, address) === undefined) continue
    if (until !== null && until <= now) continue
    const busy = counts.get(poolId) ?? { held: 0, used: 0, reserved: 0, cooling: 0 }
    busy[state] += 1
    counts.set(poolId, busy)
  }
  return counts
}

/** Part of the ranges, every address with its state, and what is taken outside them. */
export async function addressPage(
  db: Db,
  pool: PoolRow,
  { offset, limit }: { offset: number; limit: number },
  now: Date,
): Promise<Page> {
  const list = sliceOf(pool.ranges, BigInt(offset), limit)
  const rows = await namedRows(db, pool.id)
  const known = new Map(rows.map((row) => [row.address, shown(row, now)]))
  const outside = rows.filter(({ address }) => placeOf(pool.ranges, address) === undefined)
  return {
    addresses: list.map((address) => known.get(address) ?? freeOne(address)),
    offset,
    total: limited(sizeOf(pool.ranges)),
    outside: outside.map((row) => shown(row, now)),
  }
}

const namedRows = (db: Db, poolId: number) =>
  db
    .select({
      address: addresses.address,
      state: addresses.state,
      tokenId: addresses.tokenId,
      instanceId: addresses.instanceId,
      reason: addresses.reason,
      until: addresses.until,
      tokenName: tokens.name,
      name: instances.name,
      label: instances.label,
      vmId: instances.vmId,
    })
    .from(addresses)
    .leftJoin(tokens, eq(tokens.id, addresses.tokenId))
    .leftJoin(instances, eq(instances.id, addresses.instanceId))
    .where(and(eq(addresses.poolId, poolId), notInArray(addresses.state, ['free'])))
    .orderBy(asc(addresses.address))

type Named = Awaited<ReturnType<typeof namedRows>>[number]

function shown(row: Named, now: Date): Shown {
  const { address, state, tokenId, instanceId, reason, until } = row
  if (until !== null && until <= now) return freeOne(address)
  const name = row.label ?? row.name ?? row.tokenName
  const server = name === null ? null : { tokenId, instanceId, name }
  return { address, state, server, reason, until }
}

const freeOne = (address: string): Shown => ({
  address,
  state: 'free',
  server: null,
  reason: null,
  until: null,
})
