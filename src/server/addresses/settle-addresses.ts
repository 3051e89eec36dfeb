import { and, asc, eq, inArray, ne } from 'drizzle-orm'
import { canonicalIp } from '#shared/rules/network/ip.ts'
import { placeOf, poolOf } from '#shared/rules/network/pool.ts'
import type { Db } from '../db/database.ts'
import { addresses } from '../db/schema/addresses.ts'
import { nodes } from '../db/schema/infrastructure.ts'
import { claimsOn } from './claims.ts'
import { layOutAhead } from './lay-out.ts'
import { type PoolRow, poolsOf } from './pool-rows.ts'
import { settleReverseNames } from './reverse-wishes.ts'
import { isSame, wantedState } from './wanted-state.ts'

type Place = { clusterId: number; now: Date }

/**
 * Makes the rows of these addresses say what has them now: called in the transaction that gave an
 * address to something or took it away, as often as one likes. Locks the rows before it looks, so
 * that an address that is being taken at this moment is judged by what comes of it. Returns how
 * many changed.
 */
export async function settleAddresses(
  tx: Db,
  { clusterId, now }: Place,
  list: readonly (string | null | undefined)[],
): Promise<number> {
  const pools = await poolsOf(tx, [clusterId])
  const inPools = new Map<string, PoolRow>()
  for (const text of list) {
    const address = text ? canonicalIp(text) : undefined
    const pool = address && poolOf(pools, address)
    if (address && pool) inPools.set(address, pool)
  }
  let changed = 0
  const known = [...inPools].sort(([a], [b]) => (a < b ? -1 : 1))
  for (let at = 0; at < known.length; at += BATCH) {
    changed += await settleBatch(tx, new Map(known.slice(at, at + BATCH)), { clusterId, now })
  }
  return changed
}

/** A statement has a limited number of parameters, and a cluster may have thousands of VMs. */
const BATCH = 1000

async function settleBatch(
  tx: Db,
  inPools: ReadonlyMap<string, PoolRow>,
  { clusterId, now }: Place,
): Promise<number> {
  const rows = await lockedRows(tx, inPools)
  const claims = await claimsOn(tx, { clusterId, addresses: [...inPools.keys()] })
  let changed = 0
  for (const row of rows) {
    const pool = inPools.get(row.address)
    if (!pool) continue
    const next = wantedState(row.address, row, { pool, claims: claims.get(row.address) ?? [], now })
    // Outside the ranges nothing is handed out, so nothing has to rest there.
    const isOpen = next.state === 'free' || next.state === 'cooling'
    const isKept = !isOpen || placeOf(pool.ranges, row.address) !== undefined
    if (isKept && row.poolId === pool.id && isSame(row, next)) continue
    changed += 1
    const self = eq(addresses.id, row.id)
    if (isKept)
      await tx
        .update(addresses)
        .set({ ...next, poolId: pool.id })
        .where(self)
    else await tx.delete(addresses).where(self)
  }
  // What a pool without a zone leaves behind is found by the sweep: most pools have none.
  if ([...inPools.values()].some(({ rdns }) => rdns !== null)) {
    await settleReverseNames(tx, { clusterId, now }, inPools)
  }
  return changed
}

/** One row each, in one order, so that two transactions never wait for each other. */
async function lockedRows(tx: Db, inPools: ReadonlyMap<string, PoolRow>) {
  const list = [...inPools.keys()]
  const values = [...inPools].map(([address, { id: poolId, clusterId, family }]) => ({
    poolId,
    clusterId,
    family,
    address,
  }))
  await tx.insert(addresses).values(values).onConflictDoNothing()
  const [{ clusterId } = { clusterId: 0 }] = values
  return await tx
    .select()
    .from(addresses)
    .where(and(eq(addresses.clusterId, clusterId), inArray(addresses.address, list)))
    .orderBy(asc(addresses.address))
    .for('update')
}

/** The addresses of a VM, by its row. */
export const settleVm = (
  tx: Db,
  vm: { clusterId: number; ipAddress: string | null; ipv6Address: string | null },
  now: Date,
): Promise<number> =>
  settleAddresses(tx, { clusterId: vm.clusterId, now }, [vm.ipAddress, vm.ipv6Address])

/** Every address that a token or its server has, whatever their rows say by now. */
export async function settleAddressesOf(tx: Db, place: Place, tokenId: number): Promise<void> {
  const rows = await tx
    .select({ address: addresses.address })
    .from(addresses)
    .where(eq(addresses.tokenId, tokenId))
  const list = rows.map(({ address }) => address)
  await settleAddresses(tx, place, list)
}

/** The addresses of a token, in the cluster of its node. A token without a node has none. */
export async function settleToken(
  tx: Db,
  token: { nodeId: number | null; ipAddress: string | null; ipv6Address: string | null },
  now: Date,
): Promise<void> {
  const { nodeId, ipAddress, ipv6Address } = token
  if (nodeId === null) return
  const [node] = await tx
    .select({ clusterId: nodes.clusterId })
    .from(nodes)
    .where(eq(nodes.id, nodeId))
  if (node) await settleAddresses(tx, { clusterId: node.clusterId, now }, [ipAddress, ipv6Address])
}

/**
 * Compares every address of a cluster that is not free, claimed or reserved with its row, and
 * settles those that differ; then lays out what comes next. Nothing is locked for the comparison, so
 * sales go on meanwhile.
 */
export async function sweepAddresses(db: Db, { clusterId, now }: Place): Promise<number> {
  const pools = await poolsOf(db, [clusterId])
  if (pools.length === 0) return 0
  const rows = await db
    .select()
    .from(addresses)
    .where(and(eq(addresses.clusterId, clusterId), ne(addresses.state, 'free')))
  const known = new Map(rows.map((row) => [row.address, row]))
  const claims = await claimsOn(db, { clusterId })
  const fixed = pools.flatMap(({ gateway, reserved }) => [
    gateway,
    ...reserved.map(({ address }) => address),
  ])
  const differing = [...new Set([...known.keys(), ...claims.keys(), ...fixed])].filter(
    (address) => {
      const pool = poolOf(pools, address)
      if (!pool) return false
      const row = known.get(address)
      const before = row ?? NO_ROW
      const next = wantedState(address, before, { pool, claims: claims.get(address) ?? [], now })
      return row?.poolId !== pool.id || !isSame(before, next)
    },
  )
  return await db.transaction(async (tx) => {
    const changed = await settleAddresses(tx, { clusterId, now }, differing)
    await layOutAhead(tx, clusterId)
    return changed
  })
}

const NO_ROW = {
  state: 'free',
  tokenId: null,
  instanceId: null,
  reason: null,
  until: null,
} as const
