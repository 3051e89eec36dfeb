import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { trafficPeriod } from '#shared/rules/network/traffic-period.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { serverTraffic, trafficDays, trafficGaps } from '../../db/schema/traffic.ts'
import { concerned, type EventBus } from '../../events/event-bus.ts'
import type { Clock } from '../../lib/clock.ts'
import { planOf } from '../../orders/package-of-server.ts'
import { type Counted, countServer, type Server } from './counted.ts'
import type { Sighting } from './sighting.ts'
import { planColumns, termColumns, termsOf } from './traffic-terms.ts'

export type CountDeps = { db: Db; clock: Clock; events: EventBus; audit: Audit }

/** What was seen of each VM of a cluster, by its id, oldest first. */
export type Sightings = ReadonlyMap<number, readonly Sighting[]>

const TRAFFIC_LOCK = 7_304_214

/**
 * Adds what passed since the last time, in one statement for all servers of a cluster. Every process
 * polls, and one at a time counts: what it has counted is nothing new for the next one. Returns how
 * many servers were written.
 */
export function countTraffic(
  deps: CountDeps,
  clusterId: number,
  sightings: Sightings,
): Promise<number> {
  return deps.db.transaction(async (tx) => {
    if (!(await isOurTurn(tx, clusterId))) return 0
    const servers = await soldServers(tx, clusterId, deps.clock.now())
    const counted = servers.flatMap(
      ({ vmId, ...server }) => countServer(server, sightings.get(vmId) ?? []) ?? [],
    )
    if (counted.length === 0) return 0
    await write(tx, counted)
    await tell(tx, deps, counted)
    return counted.length
  })
}

async function isOurTurn(tx: Db, clusterId: number): Promise<boolean> {
  const take = sql`select pg_try_advisory_xact_lock(${TRAFFIC_LOCK}, ${clusterId}) as held`
  const { rows } = (await tx.execute(take)) as unknown as { rows: { held: boolean }[] }
  return rows[0]?.held === true
}

async function soldServers(
  tx: Db,
  clusterId: number,
  now: Date,
): Promise<(Server & { vmId: number })[]> {
  const plan = planOf(tx)
  const rows = await tx
    .select({
      instanceId: instances.id,
      vmId: instances.vmId,
      ownerId: instances.ownerId,
      stored: serverTraffic,
      term: termColumns,
      plan: planColumns(plan),
    })
    .from(instances)
    .leftJoin(tokens, eq(tokens.id, instances.tokenId))
    .leftJoinLateral(plan, sql`true`)
    .leftJoin(serverTraffic, eq(serverTraffic.instanceId, instances.id))
    .where(
      and(
        eq(instances.clusterId, clusterId),
        isNotNull(instances.ownerId),
        isNull(instances.missingSince),
      ),
    )
  return rows.map(({ term, plan: granted, ...row }) => ({
    ...row,
    terms: termsOf(granted),
    period: trafficPeriod(term, now),
  }))
}

/** One statement, whatever the number of servers: sums, days and gaps. */
async function write(tx: Db, counted: readonly Counted[]): Promise<void> {
  const servers = counted.map(({ instanceId, seen, period, isNewPeriod, noticed, ...bytes }) => ({
    instanceId,
    at: new Date(seen.at),
    uptime: Math.round(seen.uptime),
    seenIn: Math.round(seen.in),
    seenOut: Math.round(seen.out),
    from: period.from,
    to: period.to,
    isNewPeriod,
    in: bytes.in,
    out: bytes.out,
    noticed,
  }))
  const days = counted.flatMap(({ instanceId, days: parts }) =>
    parts.map((part) => ({ instanceId, ...part })),
  )
  const gaps = counted.flatMap(({ instanceId, gaps: parts }) =>
    parts.map(({ from, to }) => ({ instanceId, from: new Date(from), to: new Date(to) })),
  )
  await tx.execute(sql`
    with s as (
      select * from jsonb_to_recordset(${JSON.stringify(servers)}::jsonb) as s("instanceId" int4,
        at timestamptz, uptime int4, "seenIn" int8, "seenOut" int8, "from" timestamptz,
        "to" timestamptz, "isNewPeriod" bool, "in" int8, "out" int8, noticed int4)
    ), fresh as (
      insert into ${serverTraffic} (instance_id, seen_at, seen_uptime, seen_in, seen_out,
        period_from, period_to, in_bytes, out_bytes, noticed)
      select s."instanceId", s.at, s.uptime, s."seenIn", s."seenOut", s."from", s."to", s."in",
        s."out", s.noticed
      from s on conflict (instance_id) do nothing
    ), known as (
      update ${serverTraffic} t set seen_at = s.at, seen_uptime = s.uptime, seen_in = s."seenIn",
        seen_out = s."seenOut", period_from = s."from", period_to = s."to", noticed = s.noticed,
        in_bytes = s."in" + case when s."isNewPeriod" then 0 else t.in_bytes end,
        out_bytes = s."out" + case when s."isNewPeriod" then 0 else t.out_bytes end
      from s where t.instance_id = s."instanceId"
    ), gaps as (
      insert into ${trafficGaps} (instance_id, from_at, to_at)
      select g."instanceId", g."from", g."to"
      from jsonb_to_recordset(${JSON.stringify(gaps)}::jsonb) as g("instanceId" int4,
        "from" timestamptz, "to" timestamptz)
    )
    insert into ${trafficDays} as t (instance_id, day, in_bytes, out_bytes)
    select d."instanceId", d.day, sum(d."in"), sum(d."out")
    from jsonb_to_recordset(${JSON.stringify(days)}::jsonb) as d("instanceId" int4, day date,
      "in" int8, "out" int8)
    group by 1, 2
    on conflict (instance_id, day) do update set in_bytes = t.in_bytes + excluded.in_bytes,
      out_bytes = t.out_bytes + excluded.out_bytes`)
}

const ACTIONS = { 80: 'instance.traffic-80', 100: 'instance.traffic-100' }

/** Each client once per period, in the activity of the server; its page reads again. */
async function tell(tx: Db, { events, audit }: CountDeps, counted: readonly Counted[]) {
  for (const { instanceId, ownerId, notice } of counted) {
    if (notice === 0) continue
    await audit.record(tx, undefined, {
      action: ACTIONS[notice],
      target: `instance:${instanceId}`,
    })
    await events.emit(tx, concerned(ownerId), { type: 'changed', nouns: ['instances'] })
  }
}
