import { and, eq, inArray, lte, or, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { parseIp } from '#shared/rules/network/ip.ts'
import { placeOf, poolOf } from '#shared/rules/network/pool.ts'
import { rowsOf } from '../db/catalog.ts'
import type { Db } from '../db/database.ts'
import { addresses } from '../db/schema/addresses.ts'
import { layOutMore } from './lay-out.ts'
import { handsOut, poolsOf } from './pool-rows.ts'

/** Of any pool of the cluster, or of one of these. */
type Wanted = { clusterId: number; family: 4 | 6; now: Date; poolIds?: readonly number[] }

/**
 * Takes the lowest free address of a cluster, or one that has cooled, for the caller's transaction:
 * two callers never get the same, and neither waits for the other. The caller gives it to a token
 * and settles it. Undefined if none is left: one that another transaction has taken and may still
 * give back counts as taken, because waiting for it could block both.
 */
export async function takeFreeAddress(tx: Db, wanted: Wanted): Promise<string | undefined> {
  for (;;) {
    const taken = await takeOpen(tx, wanted)
    if (taken !== undefined || !(await layOutMore(tx, wanted))) return taken
  }
}

async function takeOpen(tx: Db, wanted: Wanted): Promise<string | undefined> {
  const { clusterId, family, now, poolIds } = wanted
  const ofPools = poolIds ? sql`and ${inArray(sql`pool_id`, [...poolIds])}` : sql``
  const [row] = await rowsOf<{ address: string }>(
    tx,
    sql`update addresses set state = 'held', token_id = null, instance_id = null, reason = null, until = null
      where id = (
        select id from addresses
        where cluster_id = ${clusterId} and family = ${family} and state in ('free', 'cooling')
          and (state = 'free' or until <= ${now.toISOString()}::timestamptz) ${ofPools}
        order by address limit 1 for update skip locked
      )
      returning host(address) as address`,
  )
  return row?.address
}

/** The address that would be taken next; another caller may take it first. */
export async function nextFreeAddress(tx: Db, wanted: Wanted): Promise<string | undefined> {
  const { clusterId, family, now } = wanted
  for (;;) {
    const [row] = await tx
      .select({ address: addresses.address })
      .from(addresses)
      .where(
        and(
          eq(addresses.clusterId, clusterId),
          eq(addresses.family, family),
          inArray(addresses.state, ['free', 'cooling']),
          isOpen(now),
        ),
      )
      .orderBy(addresses.address)
      .limit(1)
    if (row) return row.address
    if (!(await layOutMore(tx, wanted))) return undefined
  }
}

const isOpen = (now: Date) => or(eq(addresses.state, 'free'), lte(addresses.until, now))

const conflict = (sentence: string) => new AppError('CONFLICT', sentence)

/**
 * Takes this address for the caller's transaction, or leaves it with the token that holds it
 * already. Refuses with the reason.
 */
export async function takeAddress(
  tx: Db,
  { clusterId, address, now }: { clusterId: number; address: string; now: Date },
  tokenId?: number,
): Promise<void> {
  const all = (await poolsOf(tx, [clusterId])).filter(handsOut)
  if (all.length === 0) {
    throw conflict('No pool of this cluster has a range for clients yet: add one on Addresses.')
  }
  const pool = poolOf(all, address)
  const ip = parseIp(address)
  if (!pool || !ip || placeOf(pool.ranges, address) === undefined) {
    const ranges = all.flatMap((one) => one.ranges.map(({ first, last }) => `${first} to ${last}`))
    throw conflict(`The address must lie in a range of a pool: ${ranges.join(', ')}.`)
  }
  const values = { poolId: pool.id, clusterId, family: ip.family, address }
  await tx.insert(addresses).values(values).onConflictDoNothing()
  const self = and(eq(addresses.clusterId, clusterId), eq(addresses.address, address))
  const isOwn =
    tokenId === undefined
      ? undefined
      : and(eq(addresses.tokenId, tokenId), eq(addresses.state, 'held'))
  const [taken] = await tx
    .update(addresses)
    .set({ state: 'held', tokenId: tokenId ?? null, instanceId: null, reason: null, until: null })
    .where(and(self, or(isOpen(now), isOwn)))
    .returning({ id: addresses.id })
  if (taken) return
  const [row] = await tx.select().from(addresses).where(self)
  throw conflict(refusalOf(row))
}

function refusalOf(row: typeof addresses.$inferSelect | undefined): string {
  if (row?.state === 'reserved') return `This address is reserved: ${row.reason}.`
  if (row?.until) {
    return `A server had this address until recently. It is free again from ${row.until.toISOString().slice(0, 16).replace('T', ' ')} UTC.`
  }
  return 'Another token or a server has this address.'
}
