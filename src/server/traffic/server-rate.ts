import { and, eq, sql } from 'drizzle-orm'
import {
  quotaBytes,
  rateOf,
  type TrafficTerms,
  trafficLevel,
  usedBytes,
} from '#shared/rules/network/traffic.ts'
import type { Db } from '../db/database.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { serverRates, serverTraffic } from '../db/schema/traffic.ts'
import { vmOf } from '../inventory/vm/instance-row.ts'
import { planOf } from '../orders/package-of-server.ts'
import type { JobDeps } from '../runtime/deps.ts'
import { passedColumns, planColumns, termColumns, termsOf } from './count/traffic-terms.ts'

type RateDeps = Pick<JobDeps, 'db' | 'clock' | 'hypervisors'>

/** Servers with what their cards are to be limited to, and what was set last. */
export const ratedServers = (db: Db) => {
  const plan = planOf(db)
  return db
    .select({
      instance: instances,
      rate: serverRates,
      term: termColumns,
      traffic: passedColumns,
      plan: planColumns(plan),
    })
    .from(instances)
    .leftJoin(tokens, eq(tokens.id, instances.tokenId))
    .leftJoinLateral(plan, sql`true`)
    .leftJoin(serverTraffic, eq(serverTraffic.instanceId, instances.id))
    .leftJoin(serverRates, eq(serverRates.instanceId, instances.id))
    .$dynamic()
}
export type RatedServer = Awaited<ReturnType<typeof ratedServers>>[number]

/** Where nothing has passed in this period yet, and the quota is 0, it is used up all the same. */
export function levelOf(
  terms: TrafficTerms,
  traffic: { inBytes: number; outBytes: number; periodTo: Date } | null,
  now: Date,
) {
  const isCurrent = traffic !== null && traffic.periodTo.getTime() > now.getTime()
  const used = isCurrent ? usedBytes(traffic, terms.trafficCounts) : 0
  return trafficLevel(used, quotaBytes(terms))
}

export const wantedRate = ({ plan, traffic }: RatedServer, now: Date): number | null => {
  const terms = termsOf(plan)
  return rateOf(terms, levelOf(terms, traffic, now))
}

/**
 * Sets the rate of a server's card and stores that it is in force. A card that we never limited and
 * are not to limit is left as it is, unless it `isNew`: its template may have brought a limit of its
 * own.
 */
export async function keepRate(
  deps: RateDeps,
  instanceId: number,
  { isNew = false } = {},
): Promise<{ rateMbit: number | null }> {
  const { db, clock, hypervisors } = deps
  const [server] = await ratedServers(db).where(eq(instances.id, instanceId))
  if (!server || server.instance.marker === null) return { rateMbit: null }
  const rateMbit = wantedRate(server, clock.now())
  const limited = server.rate?.rateMbit ?? null
  if (rateMbit === null && limited === null && !isNew) return { rateMbit }
  const attempt = await begin(db, instanceId, rateMbit ?? limited)
  const { hypervisor } = hypervisors.of(server.instance.clusterId)
  await hypervisor.setRate(await vmOf(db, server.instance), rateMbit)
  await end(db, { instanceId, attempt, rateMbit, now: clock.now() })
  return { rateMbit }
}

/** From here on until the end it is not known what is in force. */
async function begin(db: Db, instanceId: number, rateMbit: number | null): Promise<number> {
  const next = { rateMbit, setAt: null, failedAt: null, attempt: sql`${serverRates.attempt} + 1` }
  const [row] = await db
    .insert(serverRates)
    .values({ instanceId, rateMbit, attempt: 1 })
    .onConflictDoUpdate({ target: serverRates.instanceId, set: next })
    .returning({ attempt: serverRates.attempt })
  return row?.attempt ?? 0
}

type Attempt = { instanceId: number; attempt: number; rateMbit: number | null; now: Date }

/**
 * If another attempt has begun meanwhile, it is not known whose rate the cluster got last: both end
 * without a result, and the sweep sets it once more.
 */
async function end(db: Db, { instanceId, attempt, rateMbit, now }: Attempt): Promise<void> {
  const isServer = eq(serverRates.instanceId, instanceId)
  const stored = await db
    .update(serverRates)
    .set({ rateMbit, setAt: now })
    .where(and(isServer, eq(serverRates.attempt, attempt)))
    .returning({ instanceId: serverRates.instanceId })
  if (stored.length === 0) await doubtRate(db, instanceId)
}

/** It is not known what is in force: the sweep sets the rate again. */
async function doubtRate(db: Db, instanceId: number): Promise<void> {
  await db
    .update(serverRates)
    .set({ setAt: null, attempt: sql`${serverRates.attempt} + 1` })
    .where(eq(serverRates.instanceId, instanceId))
}

async function limitOf(db: Db, instanceId: number): Promise<number | null> {
  const isServer = eq(serverRates.instanceId, instanceId)
  const [row] = await db.select().from(serverRates).where(isServer)
  return row?.rateMbit ?? null
}

/**
 * What `read` finds in a server's configuration, with the limit of ours that is in it, or null: then
 * a limit in it was set by hand. The sweep may set or lift one meanwhile, hence a look on either side.
 */
export async function withLimit<T>(db: Db, instanceId: number, read: () => Promise<T>) {
  const before = await limitOf(db, instanceId)
  const config = await read()
  return { config, limitMbit: before ?? (await limitOf(db, instanceId)) }
}

/** The configuration of a while ago was written again, with the limit of ours that was in it. */
export async function limitWas(
  db: Db,
  instanceId: number,
  limitMbit: number | null,
): Promise<void> {
  await db
    .update(serverRates)
    .set({ rateMbit: limitMbit, setAt: null, attempt: sql`${serverRates.attempt} + 1` })
    .where(eq(serverRates.instanceId, instanceId))
}
