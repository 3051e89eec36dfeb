import { and, asc, desc, eq, gte, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Traffic } from '#shared/api/parts/traffic.ts'
import type { Talker, TrafficDay } from '#shared/api/servers/traffic.ts'
import { quotaBytes, rateOf, usedBytes } from '#shared/rules/network/traffic.ts'
import { trafficPeriod } from '#shared/rules/network/traffic-period.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'
import { handovers } from '../db/schema/handovers.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import { instances } from '../db/schema/stock.ts'
import { trafficDays } from '../db/schema/traffic.ts'
import { dayOf } from './count/counted.ts'
import { termsOf } from './count/traffic-terms.ts'
import { levelOf, type RatedServer, ratedServers } from './server-rate.ts'

const SHOWN_DAYS = 30
const TALKERS = 25

export type TrafficView = { rateMbit: number | null; traffic: z.input<typeof Traffic> }

/** Its rate of this moment, and what has passed in this period. */
export async function trafficOf(db: Db, instanceId: number, now: Date): Promise<TrafficView> {
  const [server] = await ratedServers(db).where(eq(instances.id, instanceId))
  return trafficView(server, now)
}

const NOTHING = { inBytes: 0, outBytes: 0 }

type CountedServer = Pick<RatedServer, 'plan' | 'traffic' | 'term'>

export function trafficView(server: CountedServer | undefined, now: Date): TrafficView {
  const { plan = null, traffic = null, term = null } = server ?? {}
  const terms = termsOf(plan)
  const level = levelOf(terms, traffic, now)
  const isCurrent = traffic !== null && traffic.periodTo.getTime() > now.getTime()
  const { inBytes, outBytes } = isCurrent ? traffic : NOTHING
  const { from, to } = isCurrent
    ? { from: traffic.periodFrom, to: traffic.periodTo }
    : trafficPeriod(term, now)
  return {
    rateMbit: rateOf(terms, level),
    traffic: {
      inBytes,
      outBytes,
      counts: terms.trafficCounts,
      usedBytes: usedBytes({ inBytes, outBytes }, terms.trafficCounts),
      quotaBytes: quotaBytes(terms),
      from,
      to,
      level,
      slowMbit: terms.slowMbit,
    },
  }
}

const firstDay = (days: number, now: Date) => dayOf(now.getTime() - (days - 1) * DAY_MS)

/**
 * Every day up to today, also those on which nothing passed; none from before it was sold, and for
 * clients none from before the last owner handed it over.
 */
export async function daysOfServer(
  db: Db,
  instanceId: number,
  now: Date,
  { isOperator = false } = {},
): Promise<TrafficDay[]> {
  const [server] = await ratedServers(db).where(eq(instances.id, instanceId))
  const soldAt = server?.term?.assignedAt?.getTime() ?? 0
  const givenAt = isOperator ? 0 : await handedOverAt(db, server?.instance.tokenId ?? 0)
  const first = dayOf(Math.max(soldAt, givenAt))
  const rows = await db
    .select()
    .from(trafficDays)
    .where(
      and(eq(trafficDays.instanceId, instanceId), gte(trafficDays.day, firstDay(SHOWN_DAYS, now))),
    )
    .orderBy(asc(trafficDays.day))
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return Array.from({ length: SHOWN_DAYS }, (_, index) => {
    const day = dayOf(now.getTime() - (SHOWN_DAYS - 1 - index) * DAY_MS)
    const { inBytes, outBytes } = (day >= first && byDay.get(day)) || NOTHING
    return { day, inBytes, outBytes }
  })
}

async function handedOverAt(db: Db, tokenId: number): Promise<number> {
  const [last] = await db
    .select({ at: handovers.at })
    .from(handovers)
    .where(eq(handovers.tokenId, tokenId))
    .orderBy(desc(handovers.at))
    .limit(1)
  return last?.at.getTime() ?? 0
}

/** The servers through which most has passed in these days, today included. */
export async function topTalkers(db: Db, days: number, now: Date): Promise<Talker[]> {
  const sum = (column: typeof trafficDays.inBytes | typeof trafficDays.outBytes) =>
    sql<number>`sum(${column})::float8`
  const rows = await db
    .select({
      id: instances.id,
      label: sql<string>`coalesce(${instances.label}, ${instances.name})`,
      cluster: clusters.name,
      owner: {
        id: users.id,
        username: users.username,
        firstName: users.firstName,
        lastName: users.lastName,
        email: users.email,
      },
      inBytes: sum(trafficDays.inBytes),
      outBytes: sum(trafficDays.outBytes),
    })
    .from(trafficDays)
    .innerJoin(instances, eq(instances.id, trafficDays.instanceId))
    .innerJoin(clusters, eq(clusters.id, instances.clusterId))
    .leftJoin(users, eq(users.id, instances.ownerId))
    .where(gte(trafficDays.day, firstDay(days, now)))
    .groupBy(instances.id, clusters.id, users.id)
    .orderBy(desc(sql`sum(${trafficDays.inBytes} + ${trafficDays.outBytes})`), asc(instances.id))
    .limit(TALKERS)
  return await Promise.all(
    rows.map(async ({ owner, ...row }) => ({
      ...row,
      client: owner && { id: owner.id, name: userName(owner) },
      isSlowed: (await trafficOf(db, row.id, now)).traffic.level === 100,
    })),
  )
}
