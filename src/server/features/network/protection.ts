import { and, asc, eq, gt, isNotNull, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { QueryOf } from '#shared/api/parts/route.ts'
import type { Protection, protection } from '#shared/api/servers/network.ts'
import { FIREWALL_FAULTS, type FirewallFault } from '#shared/rules/network/firewall-faults.ts'
import type { Db } from '../../db/database.ts'
import { firewalls } from '../../db/schema/firewalls.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'

export type ProtectionPage = QueryOf<typeof protection.get>

export const UNCHECKED: FirewallFault[] = ['unchecked']

const isSold = and(
  isNotNull(instances.ownerId),
  isNull(instances.missingSince),
  // One that is being made has no firewall yet, and does not run.
  ne(instances.status, 'creating'),
)
const isOurs = isNotNull(instances.marker)
/** One without a row was not looked at yet. */
const faults = sql<FirewallFault[]>`coalesce(${firewalls.faults}, '["unchecked"]'::jsonb)`
const isUnprotected = sql`${faults} <> '[]'::jsonb`
const isToBeSet = sql<boolean>`(${isOurs} and ${firewalls.isKept} is not true)`
const has = (fault: FirewallFault): SQL => sql`${faults} ? ${fault}`

/** How many servers hold and do not, and one page of those that do not. */
export async function protectionOf(db: Db, page: ProtectionPage): Promise<Protection> {
  const rows = await db
    .select({
      id: instances.id,
      label: sql<string>`coalesce(${instances.label}, ${instances.name})`,
      cluster: clusters.name,
      faults,
      isToBeSet,
    })
    .from(instances)
    .innerJoin(clusters, eq(clusters.id, instances.clusterId))
    .leftJoin(firewalls, eq(firewalls.instanceId, instances.id))
    .where(
      and(
        isSold,
        isUnprotected,
        page.fault && has(page.fault),
        page.after === undefined ? undefined : gt(instances.id, page.after),
      ),
    )
    .orderBy(asc(instances.id))
    .limit(page.limit + 1)
  const unprotected = rows.slice(0, page.limit)
  const next = rows.length > page.limit ? (unprotected.at(-1)?.id ?? null) : null
  return { ...(await countsOf(db)), unprotected, next }
}

const count = (which: SQL) => sql<number>`count(*) filter (where ${which})::int`

async function countsOf(db: Db) {
  const byFault = Object.fromEntries(
    FIREWALL_FAULTS.map((fault) => [fault, count(has(fault))]),
  ) as Record<FirewallFault, SQL<number>>
  const [counted] = await db
    .select({
      protected: count(sql`not ${isUnprotected}`),
      total: count(isUnprotected),
      toBeSet: count(sql`${isUnprotected} and ${isToBeSet}`),
      ...byFault,
    })
    .from(instances)
    .leftJoin(firewalls, eq(firewalls.instanceId, instances.id))
    .where(isSold)
  if (!counted) throw new Error('the database did not answer')
  return {
    protected: counted.protected,
    total: counted.total,
    toBeSet: counted.toBeSet,
    faults: FIREWALL_FAULTS.map((fault) => ({ fault, servers: counted[fault] }))
      .filter(({ servers }) => servers > 0)
      .toSorted((a, b) => b.servers - a.servers),
  }
}

/** Marks every sold server of ours as one whose firewall is kept, to be looked at next. */
export async function keepAll(tx: Db): Promise<number> {
  const unkept = await tx
    .select({ instanceId: instances.id })
    .from(instances)
    .leftJoin(firewalls, eq(firewalls.instanceId, instances.id))
    .where(and(isSold, isOurs, sql`coalesce(${firewalls.isKept}, false) = false`))
  if (unkept.length === 0) return 0
  const kept = { isKept: true, checkedAt: null }
  await tx
    .insert(firewalls)
    .values(unkept.map(({ instanceId }) => ({ instanceId, ...kept })))
    .onConflictDoUpdate({ target: firewalls.instanceId, set: kept })
  return unkept.length
}
