import { and, asc, eq, inArray, isNotNull, isNull } from 'drizzle-orm'
import { poolOf } from '#shared/rules/network/pool.ts'
import { poolsOf } from '../addresses/pool-rows.ts'
import {
  changeWish,
  holdersOf,
  isWished,
  settleReverseNames,
  wishesFor,
} from '../addresses/reverse-wishes.ts'
import type { Db } from '../db/database.ts'
import { addresses, pools, reverseNames } from '../db/schema/addresses.ts'
import type { Clock } from '../lib/clock.ts'

const NO_ZONE = { rdns: null, rdnsPattern: null }

/**
 * Compares every wish with who has the address now, and puts right what differs: pools whose zone
 * was taken away, clusters that are gone, and any change of a server that did not say so itself.
 */
export function createNameDriftSweep({ db, clock }: { db: Db; clock: Clock }) {
  return async (): Promise<void> => {
    const now = clock.now()
    await forgetWithoutCluster(db, now)
    const named = await db
      .selectDistinct({ id: pools.clusterId })
      .from(pools)
      .where(isNotNull(pools.rdns))
    const wished = await db
      .selectDistinct({ id: reverseNames.clusterId })
      .from(reverseNames)
      .where(isNotNull(reverseNames.clusterId))
    const ids = new Set([...named, ...wished].flatMap(({ id }) => id ?? []))
    for (const clusterId of ids) await settleCluster(db, clusterId, now)
  }
}

async function settleCluster(db: Db, clusterId: number, now: Date): Promise<void> {
  const all = await poolsOf(db, [clusterId])
  const namingOf = (address: string) => poolOf(all, address) ?? NO_ZONE
  const holders = await holdersOf(db, clusterId)
  const known = await db.select().from(reverseNames).where(eq(reverseNames.clusterId, clusterId))
  const rows = Map.groupBy(known, ({ address }) => address)
  const differing = [...new Set([...holders.keys(), ...rows.keys()])].filter((address) => {
    const own = rows.get(address) ?? []
    const wishes = wishesFor(address, namingOf(address), {
      holder: holders.get(address),
      rows: own,
    })
    return [...wishes].some(([name, wish]) => {
      const row = own.find((one) => one.name === name)
      return !row || !isWished(row, wish)
    })
  })
  if (differing.length === 0) return
  await db.transaction(async (tx) => {
    await lockAddresses(tx, clusterId, differing)
    const inPools = new Map(differing.map((address) => [address, namingOf(address)]))
    await settleReverseNames(tx, { clusterId, now }, inPools)
  })
}

/** In the order of every transaction that holds several. */
export const lockAddresses = (tx: Db, clusterId: number, list: readonly string[]) =>
  tx
    .select({ id: addresses.id })
    .from(addresses)
    .where(and(eq(addresses.clusterId, clusterId), inArray(addresses.address, [...list])))
    .orderBy(asc(addresses.address))
    .for('update')

async function forgetWithoutCluster(db: Db, now: Date): Promise<void> {
  const orphans = await db
    .select()
    .from(reverseNames)
    .where(and(isNull(reverseNames.clusterId), isNotNull(reverseNames.wanted)))
  const nothing = { instanceId: null, ownerId: null, hostname: null, wanted: null }
  for (const row of orphans) await changeWish(db, row, nothing, now)
}
