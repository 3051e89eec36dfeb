import { asc, inArray } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { pools } from '../db/schema/addresses.ts'

export type PoolRow = typeof pools.$inferSelect

/** The pools of these clusters, in the order in which they hand out. */
export const poolsOf = (db: Db, clusterIds: number[]): Promise<PoolRow[]> =>
  clusterIds.length === 0
    ? Promise.resolve([])
    : db.select().from(pools).where(inArray(pools.clusterId, clusterIds)).orderBy(asc(pools.id))

/** A pool without a range is only proposed: it hands out nothing. */
export const handsOut = ({ ranges }: Pick<PoolRow, 'ranges'>): boolean => ranges.length > 0
