import { and, eq, inArray, sql } from 'drizzle-orm'
import { canonicalIp } from '#shared/rules/network/ip.ts'
import { defaultName } from '#shared/rules/reverse-dns/name-pattern.ts'
import { reverseName } from '#shared/rules/reverse-dns/reverse-name.ts'
import type { Db } from '../db/database.ts'
import { addresses, reverseNames } from '../db/schema/addresses.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import type { PoolRow } from './pool-rows.ts'

export type ReverseRow = typeof reverseNames.$inferSelect
type Naming = Pick<PoolRow, 'rdns' | 'rdnsPattern'>
export type Holder = { instanceId: number; ownerId: number }

/** What a row is to say; the rest of it is about telling the DNS server. */
export type Wish = Pick<ReverseRow, 'instanceId' | 'ownerId' | 'hostname' | 'wanted'>

const NOTHING: Wish = { instanceId: null, ownerId: null, hostname: null, wanted: null }

/**
 * What the DNS server is to answer for an address, by its record's name: what the owner of its
 * server chose, else the name by the pool's pattern, else nothing. What another server, another
 * owner or another zone left behind is to go.
 */
export function wishesFor(
  address: string,
  { rdns, rdnsPattern }: Naming,
  { holder, rows }: { holder: Holder | undefined; rows: readonly ReverseRow[] },
): Map<string, Wish> {
  const wishes = new Map<string, Wish>(rows.map(({ name }) => [name, NOTHING]))
  const name = holder && rdns !== null ? reverseName(address, rdns) : undefined
  if (!holder || name === undefined) return wishes
  const own = rows.find((row) => isOf(row, holder) && row.hostname !== null)
  const hostname = own?.hostname ?? null
  const given = rdnsPattern === null ? undefined : defaultName(rdnsPattern, address)
  const wanted = hostname ?? given ?? null
  if (wanted !== null || wishes.has(name)) wishes.set(name, { ...holder, hostname, wanted })
  return wishes
}

const isOf = (row: ReverseRow, { instanceId, ownerId }: Holder): boolean =>
  row.instanceId === instanceId && row.ownerId === ownerId

export const isWished = (row: ReverseRow, wish: Wish): boolean =>
  row.instanceId === wish.instanceId &&
  row.ownerId === wish.ownerId &&
  row.hostname === wish.hostname &&
  row.wanted === wish.wanted

/**
 * Makes the wishes for these addresses follow from who has them. The caller holds the locks of
 * their rows, so that no two wishes for one address are made at once.
 */
export async function settleReverseNames(
  tx: Db,
  { clusterId, now }: { clusterId: number; now: Date },
  inPools: ReadonlyMap<string, Naming>,
): Promise<void> {
  const known = await rowsOn(tx, clusterId, [...inPools.keys()])
  const holders = await holdersOf(tx, clusterId, [...inPools.keys()])
  for (const [address, pool] of inPools) {
    const rows = known.get(address) ?? []
    const wishes = wishesFor(address, pool, { holder: holders.get(address), rows })
    for (const [name, wish] of wishes) {
      const row = rows.find((one) => one.name === name)
      if (row) await changeWish(tx, row, wish, now)
      else await firstWish(tx, { clusterId, address, name }, wish, now)
    }
  }
}

/** The name may be another cluster's, which then keeps it. */
export async function firstWish(
  tx: Db,
  place: { clusterId: number; address: string; name: string },
  wish: Wish,
  now: Date,
): Promise<ReverseRow | undefined> {
  const values = { ...place, ...wish, nextAt: now }
  const [row] = await tx.insert(reverseNames).values(values).onConflictDoNothing().returning()
  return row
}

/** The DNS server is told only if the name changed, not if only the server or its owner did. */
export async function changeWish(tx: Db, row: ReverseRow, wish: Wish, now: Date): Promise<void> {
  if (isWished(row, wish)) return
  const again = { state: 'pending', reason: null, tries: 0, nextAt: now } as const
  await tx
    .update(reverseNames)
    .set({
      ...wish,
      ...(row.wanted === wish.wanted ? {} : { ...again, wish: sql`${reverseNames.wish} + 1` }),
    })
    .where(eq(reverseNames.id, row.id))
}

export async function rowsOn(
  tx: Db,
  clusterId: number,
  list: readonly string[],
): Promise<Map<string, ReverseRow[]>> {
  if (list.length === 0) return new Map()
  const rows = await tx
    .select()
    .from(reverseNames)
    .where(and(eq(reverseNames.clusterId, clusterId), inArray(reverseNames.address, [...list])))
  return Map.groupBy(rows, ({ address }) => address)
}

/**
 * The servers that these addresses were given to. What a guest merely says it has counts for
 * nothing here: it would name the addresses of others.
 */
export async function holdersOf(
  tx: Db,
  clusterId: number,
  list?: readonly string[],
): Promise<Map<string, Holder>> {
  if (list?.length === 0) return new Map()
  const rows = await tx
    .select({
      address: addresses.address,
      instanceId: instances.id,
      ownerId: instances.ownerId,
      ipv4: instances.ipAddress,
      ipv6: instances.ipv6Address,
      tokenIpv4: tokens.ipAddress,
      tokenIpv6: tokens.ipv6Address,
    })
    .from(addresses)
    .innerJoin(instances, eq(instances.id, addresses.instanceId))
    .leftJoin(tokens, eq(tokens.assignedInstanceId, instances.id))
    .where(
      and(
        eq(addresses.clusterId, clusterId),
        eq(addresses.state, 'used'),
        list ? inArray(addresses.address, [...list]) : undefined,
      ),
    )
  const holders = new Map<string, Holder>()
  for (const { address, instanceId, ownerId, ...given } of rows) {
    const isGiven = Object.values(given).some((one) => one !== null && canonicalIp(one) === address)
    if (isGiven && ownerId !== null) holders.set(address, { instanceId, ownerId })
  }
  return holders
}
