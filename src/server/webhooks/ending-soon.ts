import { and, eq, gt, isNotNull, lte, or, sql } from 'drizzle-orm'
import type { WebhookEvent } from '#shared/rules/people/webhook-events.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'
import { tokens } from '../db/schema/stock.ts'
import { webhookDeliveries, webhooks } from '../db/schema/work.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import { newDelivery } from './new-delivery.ts'

const SOON_MS = 3 * DAY_MS
const AT_ONCE = 500
const TYPE: WebhookEvent = 'server.ending-soon'

/** Time makes no entry in the log, so the ends of terms are looked up: each is told once. */
export function createEndingSoon({ db, clock, random }: { db: Db; clock: Clock; random: Random }) {
  return async (): Promise<void> => {
    const now = clock.now()
    const eventKey = sql<string>`'ending:' || ${tokens.id} || ':' || ${tokens.expiresAt}::text`
    const isTold = sql`exists(select 1 from ${webhookDeliveries} d
      where d.webhook_id = ${webhooks.id} and d.event_key = ${eventKey})`
    const rows = await db
      .select({
        webhookId: webhooks.id,
        tokenId: tokens.id,
        serverId: tokens.assignedInstanceId,
        expiresAt: tokens.expiresAt,
        eventKey,
      })
      .from(webhooks)
      .innerJoin(users, eq(users.id, webhooks.userId))
      .innerJoin(
        tokens,
        or(
          eq(tokens.assignedUserId, webhooks.userId),
          and(sql`${users.role} <> 'client'`, isNotNull(tokens.assignedUserId)),
        ),
      )
      .where(
        and(
          eq(webhooks.isOn, true),
          eq(users.isActive, true),
          sql`${webhooks.events} @> ${JSON.stringify([TYPE])}::jsonb`,
          eq(tokens.status, 'assigned'),
          gt(tokens.expiresAt, now),
          lte(tokens.expiresAt, new Date(now.getTime() + SOON_MS)),
          sql`not ${isTold}`,
        ),
      )
      .limit(AT_ONCE)
    if (rows.length === 0) return
    const deliveries = rows.map(({ webhookId, tokenId, serverId, expiresAt, eventKey: key }) =>
      newDelivery(random, {
        webhookId,
        eventKey: key,
        type: TYPE,
        at: now,
        data: { serverId, tokenId, orderId: null, by: 'system', endsAt: expiresAt },
        now,
      }),
    )
    await db.insert(webhookDeliveries).values(deliveries).onConflictDoNothing()
  }
}
