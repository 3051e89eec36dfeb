import { and, count, eq, inArray } from 'drizzle-orm'
import { placeOf, sizeOf, sliceOf } from '#shared/rules/network/pool.ts'
import type { Db } from '../db/database.ts'
import { addresses, pools } from '../db/schema/addresses.ts'
import { handsOut, type PoolRow, poolsOf } from './pool-rows.ts'

/** As many addresses get their rows at once. */
export const BLOCK = 256

type Which = { clusterId: number; family: 4 | 6; poolIds?: readonly number[] }

/**
 * Gives the next addresses of the ranges their rows, unless another transaction did so meanwhile.
 * False if all of them had one.
 */
export async function layOutMore(tx: Db, which: Which): Promise<boolean> {
  const { clusterId, family, poolIds } = which
  const unfinished = (await poolsOf(tx, [clusterId])).filter(
    (pool) =>
      pool.family === family &&
      (poolIds === undefined || poolIds.includes(pool.id)) &&
      isUnfinished(pool),
  )
  for (const { id, laidOut: before } of unfinished) {
    const [pool] = await tx.select().from(pools).where(eq(pools.id, id)).for('no key update')
    if (!pool) continue
    if (pool.laidOut !== before) return true
    const next = sliceOf(pool.ranges, nextPlace(pool), BLOCK)
    const laidOut = next.at(-1)
    if (laidOut === undefined) continue
    await tx
      .insert(addresses)
      .values(next.map((address) => ({ poolId: id, clusterId, family, address })))
      .onConflictDoNothing()
    await tx.update(pools).set({ laidOut }).where(eq(pools.id, id))
    return true
  }
  return false
}

const nextPlace = ({ ranges, laidOut }: PoolRow): bigint =>
  laidOut === null ? 0n : (placeOf(ranges, laidOut) ?? -1n) + 1n

const isUnfinished = (pool: PoolRow): boolean => nextPlace(pool) < sizeOf(pool.ranges)

/**
 * Keeps a block of free rows ahead, in a short transaction of its own, so that an order hardly ever
 * has to lay out rows and thereby make the next one wait for its end.
 */
export async function layOutAhead(tx: Db, clusterId: number): Promise<void> {
  const growing = (await poolsOf(tx, [clusterId])).filter(
    (pool) => handsOut(pool) && isUnfinished(pool),
  )
  for (const family of new Set(growing.map((pool) => pool.family))) {
    const [open] = await tx
      .select({ of: count() })
      .from(addresses)
      .where(
        and(
          eq(addresses.clusterId, clusterId),
          eq(addresses.family, family),
          inArray(addresses.state, ['free']),
        ),
      )
    if ((open?.of ?? 0) < BLOCK) await layOutMore(tx, { clusterId, family })
  }
}
