import { and, asc, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { hostKeyLooks } from '../db/schema/ssh-keys.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { DELIVERED } from '../tokens/token-rows.ts'

/** A server that has just started is asked this often, for the first ten minutes. */
const PAUSE_MS = 20_000
const FIRST_MS = 10 * MINUTE_MS

export type DueServer = Awaited<ReturnType<typeof dueServers>>[number]

/**
 * The delivered, running servers whose keys are to be read now, those that were never asked first.
 * A server is also asked after the sync wrote its row: its state changed, so it may have restarted
 * with other keys.
 */
export function dueServers(db: Db, now: Date, limit: number) {
  const isRested = lte(hostKeyLooks.lookedAt, new Date(now.getTime() - PAUSE_MS))
  return db
    .select({
      id: instances.id,
      tokenId: tokens.id,
      /** The same as the first one on its page. */
      address: sql<string>`${address}`,
      lastUpdated: instances.lastUpdated,
      look: hostKeyLooks,
    })
    .from(instances)
    .innerJoin(tokens, eq(tokens.id, instances.tokenId))
    .leftJoin(hostKeyLooks, eq(hostKeyLooks.instanceId, instances.id))
    .where(
      and(
        inArray(tokens.status, DELIVERED),
        eq(instances.status, 'running'),
        isNull(instances.missingSince),
        isNull(instances.suspendedAt),
        sql`${address} is not null`,
        or(
          isNull(hostKeyLooks.instanceId),
          lte(hostKeyLooks.nextAt, now),
          and(
            isRested,
            sql`${instances.lastUpdated} > ${hostKeyLooks.lookedAt}`,
            lte(instances.lastUpdated, now),
          ),
        ),
      ),
    )
    .orderBy(sql`${hostKeyLooks.nextAt} nulls first`, asc(instances.id))
    .limit(limit)
}

const address = sql`coalesce(${tokens.clientIpAddress}, ${instances.ipAddress}, ${tokens.ipAddress}, ${instances.ipv6Address})`

/**
 * Takes the right to look at a server now. Of several processes one gets it; if that one dies, the
 * next look comes at its time.
 */
export async function takeLook(db: Db, server: DueServer, now: Date): Promise<boolean> {
  const { look, lastUpdated } = server
  const isNew = look === null || (lastUpdated !== null && lastUpdated > look.lookedAt)
  const since = isNew ? now : look.since
  const nextAt = new Date(now.getTime() + pauseAfter(now.getTime() - since.getTime()))
  const taken = await db
    .insert(hostKeyLooks)
    .values({ instanceId: server.id, since, lookedAt: now, nextAt })
    .onConflictDoUpdate({
      target: hostKeyLooks.instanceId,
      set: { since, lookedAt: now, nextAt },
      setWhere: look === null ? sql`false` : eq(hostKeyLooks.lookedAt, look.lookedAt),
    })
    .returning({ id: hostKeyLooks.instanceId })
  return taken.length > 0
}

/** A server that does not answer is asked often at first, then every hour, then every day. */
function pauseAfter(ageMs: number): number {
  if (ageMs < FIRST_MS) return PAUSE_MS
  return ageMs < DAY_MS ? HOUR_MS : DAY_MS
}
