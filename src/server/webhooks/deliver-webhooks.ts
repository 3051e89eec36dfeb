import { and, asc, eq, isNull, lte, or, sql } from 'drizzle-orm'
import { nextTry, offReason } from '#shared/rules/people/webhook-tries.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Audit } from '../audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'
import { webhookDeliveries, webhooks } from '../db/schema/work.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { callWebhook, type Outcome } from './call-webhook.ts'
import { webhookReach } from './webhook-reach.ts'
import { openContent, type WebhookRow } from './webhook-store.ts'

/** Calls at the same time: one that hangs holds up only its own lane. */
const LANES = 8
/** Longer than any call takes: a process that was killed in one is replaced after it. */
const BUSY_MS = MINUTE_MS
/** After a failure the other deliveries of the same webhook wait: it gets one call a minute. */
const PAUSE_MS = MINUTE_MS

type DeliveryRow = typeof webhookDeliveries.$inferSelect
type Claimed = { webhook: WebhookRow; delivery: DeliveryRow }
type DeliverDeps = {
  db: Db
  clock: Clock
  keyring: Keyring
  config: Config
  log: Log
  audit: Audit
}

const isFree = (now: Date) => or(isNull(webhooks.busyUntil), lte(webhooks.busyUntil, now))

/**
 * Sends what waits, each webhook by one call at a time over all processes. At least once: a process
 * that dies between the call and its row leaves the delivery to be sent again, under the same id.
 */
export function createDeliverer(deps: DeliverDeps) {
  const { db, clock, keyring } = deps

  /** The webhook whose delivery has waited longest, for as long as a call lasts. */
  const claim = (): Promise<Claimed | undefined> =>
    db.transaction(async (tx) => {
      const now = clock.now()
      const [found] = await tx
        .select({ id: webhooks.id })
        .from(webhooks)
        .innerJoin(webhookDeliveries, eq(webhookDeliveries.webhookId, webhooks.id))
        .innerJoin(users, eq(users.id, webhooks.userId))
        .where(
          and(
            isDue(now),
            eq(webhooks.isOn, true),
            eq(users.isActive, true),
            isFree(now),
            or(isNull(webhooks.pausedUntil), lte(webhooks.pausedUntil, now)),
          ),
        )
        .orderBy(asc(webhookDeliveries.nextAt), asc(webhookDeliveries.id))
        .limit(1)
        .for('update', { of: webhooks, skipLocked: true })
      if (!found) return undefined
      const [webhook] = await tx
        .update(webhooks)
        .set({ busyUntil: new Date(now.getTime() + BUSY_MS) })
        .where(and(eq(webhooks.id, found.id), isFree(now)))
        .returning()
      if (!webhook) return undefined
      const [delivery] = await tx
        .select()
        .from(webhookDeliveries)
        .where(and(eq(webhookDeliveries.webhookId, webhook.id), isDue(now)))
        .orderBy(asc(webhookDeliveries.nextAt), asc(webhookDeliveries.id))
        .limit(1)
      return delivery && { webhook, delivery }
    })

  const lane = async (first: Claimed | undefined): Promise<void> => {
    for (let claimed = first; claimed; claimed = await claim()) {
      const { webhook, delivery } = claimed
      const reach = await webhookReach(deps)
      const content = openContent(keyring, webhook)
      await settle(deps, claimed, await callWebhook(content, delivery, { clock, reach }))
    }
  }

  return async (): Promise<void> => {
    // Mostly nothing waits, and one question is enough.
    const first = await claim()
    if (!first) return
    const others = Array.from({ length: LANES - 1 }, async () => lane(await claim()))
    await Promise.all([lane(first), ...others])
  }
}

const isDue = (now: Date) =>
  and(eq(webhookDeliveries.state, 'waiting'), lte(webhookDeliveries.nextAt, now))

/** Stores what came of it, unless the webhook was meanwhile taken for dead and claimed again. */
const settle = (
  { db, clock, audit, log }: DeliverDeps,
  { webhook, delivery }: Claimed,
  outcome: Outcome,
): Promise<void> =>
  db.transaction(async (tx) => {
    const now = clock.now()
    const { isTaken, status, answer } = outcome
    const failingSince = isTaken ? null : (webhook.failingSince ?? now)
    const [held] = await tx
      .update(webhooks)
      .set({
        busyUntil: null,
        failingSince,
        pausedUntil: isTaken ? null : new Date(now.getTime() + PAUSE_MS),
      })
      .where(
        and(eq(webhooks.id, webhook.id), eq(webhooks.busyUntil, webhook.busyUntil ?? new Date(0))),
      )
      .returning()
    if (!held) return
    const tries = delivery.tries + 1
    const next = isTaken ? undefined : nextTry(tries, now)
    const ended = isTaken ? 'delivered' : 'failed'
    await tx
      .update(webhookDeliveries)
      .set({
        tries,
        state: next ? 'waiting' : ended,
        nextAt: next ?? now,
        lastAt: now,
        lastStatus: status ?? null,
        lastAnswer: answer,
      })
      .where(eq(webhookDeliveries.id, delivery.id))
    if (failingSince === null) return
    log.warn({ webhook: webhook.id, status }, 'a webhook did not take its delivery')
    const reason = offReason({ status, failingSince, now })
    if (reason === undefined || !held.isOn) return
    await switchOff(tx, webhook.id, reason)
    // The owner reads it in the activity of the account.
    const target = `user:${webhook.userId}`
    await audit.record(tx, undefined, {
      action: 'account.webhook-off',
      target,
      details: { reason },
    })
  })

/** What still waits is not sent; the owner can send it by hand once the webhook is on again. */
export async function switchOff(
  tx: Db,
  id: number,
  reason: WebhookRow['offReason'],
): Promise<void> {
  await tx.update(webhooks).set({ isOn: false, offReason: reason }).where(eq(webhooks.id, id))
  await tx
    .update(webhookDeliveries)
    .set({
      state: 'failed',
      lastAnswer: sql`coalesce(${webhookDeliveries.lastAnswer}, 'The webhook was switched off.')`,
    })
    .where(and(eq(webhookDeliveries.webhookId, id), eq(webhookDeliveries.state, 'waiting')))
}
