import { and, asc, eq, inArray, ne } from 'drizzle-orm'
import type { PoolBody } from '#shared/api/servers/pools.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { formatCidr, isHostIn, parseCidr } from '#shared/rules/network/cidr.ts'
import { inOrder, overlapRefusal, placeOf } from '#shared/rules/network/pool.ts'
import { claimsOn } from '../../addresses/claims.ts'
import { layOutAhead } from '../../addresses/lay-out.ts'
import { type PoolRow, poolsOf } from '../../addresses/pool-rows.ts'
import { settleAddresses } from '../../addresses/settle-addresses.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { brokenConstraint, type Db } from '../../db/database.ts'
import { addresses, pools } from '../../db/schema/addresses.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { addressPage, poolViews } from './pool-views.ts'

type PoolsDeps = Pick<Deps, 'db' | 'clock' | 'events'> & { audit: Audit }

export function poolsService({ db, clock, events, audit }: PoolsDeps) {
  const write = async (actor: Actor, action: string, work: (tx: Db) => Promise<PoolRow>) => {
    try {
      return await db.transaction(async (tx) => {
        const row = await work(tx)
        await events.emit(tx, 'admins', { type: 'changed', nouns: ['pools', 'tokens'] })
        const { name, cidr } = row
        await audit.record(tx, actor, {
          action,
          target: `pool:${row.id}`,
          details: { name, cidr },
        })
        return row
      })
    } catch (error) {
      if (brokenConstraint(error) !== 'pools_name') throw error
      const message = 'Another pool of this cluster has this name.'
      throw new AppError('CONFLICT', message, { cause: error })
    }
  }

  const viewOne = async ({ id }: PoolRow) => {
    const [pool] = await poolViews(db, clock.now(), id)
    if (!pool) throw notFound('Pool')
    return pool
  }

  const found = async (tx: Db, id: number): Promise<PoolRow> => {
    const [row] = await tx.select().from(pools).where(eq(pools.id, id)).for('update')
    if (!row) throw notFound('Pool')
    return row
  }

  /** Its rows say what is true of the new network, before anything is taken of it. */
  const settle = async (
    tx: Db,
    { clusterId, gateway, reserved }: PoolRow,
    before: readonly string[] = [],
  ) => {
    await settleAddresses(tx, { clusterId, now: clock.now() }, [
      gateway,
      ...reserved.map(({ address }) => address),
      ...before,
      ...(await claimsOn(tx, { clusterId })).keys(),
    ])
    await layOutAhead(tx, clusterId)
  }

  return {
    list: () => poolViews(db, clock.now()),

    async create(actor: Actor, body: PoolBody) {
      const row = await write(actor, 'pool.create', async (tx) => {
        await lockCluster(tx, body.clusterId)
        const values = stored(body)
        await refuseOverlap(tx, values)
        const [made] = await tx.insert(pools).values(values).returning()
        if (!made) throw new Error('the pool was not stored')
        await settle(tx, made)
        return made
      })
      return await viewOne(row)
    },

    async update(actor: Actor, id: number, body: PoolBody) {
      const row = await write(actor, 'pool.update', async (tx) => {
        await lockCluster(tx, body.clusterId)
        const before = await found(tx, id)
        if (before.clusterId !== body.clusterId) {
          throw new AppError('INVALID_INPUT', 'A pool stays in its cluster: add another one there.')
        }
        const values = stored(body)
        await refuseOverlap(tx, values, id)
        await refuseLeavingOut(tx, before, values)
        const [changed] = await tx
          .update(pools)
          .set({ ...values, laidOut: null })
          .where(eq(pools.id, id))
          .returning()
        if (!changed) throw notFound('Pool')
        await dropFreeOutside(tx, changed)
        const known = await tx
          .select({ address: addresses.address })
          .from(addresses)
          .where(and(eq(addresses.poolId, id), ne(addresses.state, 'free')))
        await settle(
          tx,
          changed,
          known.map(({ address }) => address),
        )
        return changed
      })
      return await viewOne(row)
    },

    /** Refused while a server or a token has an address of it: its gateway would be forgotten. */
    async remove(actor: Actor, id: number) {
      await write(actor, 'pool.delete', async (tx) => {
        const row = await found(tx, id)
        const taken = await takenRows(tx, id)
        if (taken.length > 0) {
          const what = taken.length === 1 ? '1 address' : `${taken.length} addresses`
          throw new AppError('IN_USE', `Servers or tokens have ${what} of this pool.`)
        }
        await tx.delete(pools).where(eq(pools.id, id))
        return row
      })
    },

    async addresses(id: number, page: { offset: number; limit: number }) {
      const [row] = await db.select().from(pools).where(eq(pools.id, id))
      if (!row) throw notFound('Pool')
      return await addressPage(db, row, page, clock.now())
    },
  }
}

/** Two pools that would overlap are judged one after the other. */
async function lockCluster(tx: Db, id: number): Promise<void> {
  const [row] = await tx
    .select({ id: clusters.id })
    .from(clusters)
    .where(eq(clusters.id, id))
    .for('no key update')
  if (!row) throw new AppError('INVALID_INPUT', 'Please select a cluster')
}

/** In the one way that networks and ranges are stored. */
function stored({ cidr, ranges, vlan, rdns, rdnsPattern, prefixPerServer, ...body }: PoolBody) {
  const network = parseCidr(cidr)
  return {
    ...body,
    cidr: network ? formatCidr(network) : cidr,
    ranges: inOrder(ranges),
    vlan: vlan ?? null,
    rdns: rdns ?? null,
    rdnsPattern: rdnsPattern ?? null,
    prefixPerServer: prefixPerServer ?? null,
  }
}

type Stored = ReturnType<typeof stored>

async function refuseOverlap(tx: Db, { clusterId, cidr }: Stored, id?: number): Promise<void> {
  const others = (await poolsOf(tx, [clusterId])).filter((other) => other.id !== id)
  const message = overlapRefusal(cidr, others)
  if (message === undefined) return
  throw new AppError('CONFLICT', message, { details: [{ path: 'cidr', message }] })
}

const takenRows = (tx: Db, poolId: number) =>
  tx
    .select({ address: addresses.address })
    .from(addresses)
    .where(and(eq(addresses.poolId, poolId), inArray(addresses.state, ['held', 'used'])))
    .orderBy(asc(addresses.address))

/** A server whose address is in no network could not be reinstalled. */
async function refuseLeavingOut(tx: Db, { id }: PoolRow, { cidr, gateway }: Stored): Promise<void> {
  const network = parseCidr(cidr)
  const left = (await takenRows(tx, id)).find(
    ({ address }) => address === gateway || !(network && isHostIn(network, address)),
  )
  if (!left) return
  const message = `A server or a token has ${left.address}: it must stay in the network, and not be its gateway.`
  throw new AppError('IN_USE', message, { details: [{ path: 'cidr', message }] })
}

/** What is free outside the ranges is not handed out any more. */
async function dropFreeOutside(tx: Db, { id, ranges }: PoolRow): Promise<void> {
  const idle = and(eq(addresses.poolId, id), inArray(addresses.state, ['free', 'cooling']))
  const rows = await tx.select().from(addresses).where(idle).for('update')
  const gone = rows.filter(({ address }) => placeOf(ranges, address) === undefined)
  if (gone.length === 0) return
  await tx.delete(addresses).where(
    inArray(
      addresses.id,
      gone.map((row) => row.id),
    ),
  )
}
