import type { webhookDeliveries } from '../db/schema/work.ts'
import { type Random, randomId } from '../lib/random.ts'

type News = {
  webhookId: number
  /** What it tells: told once to each webhook. */
  eventKey: string
  type: string
  at: Date
  data: object
  now: Date
}

/** Ids instead of contents: who may know more asks the API. */
export function newDelivery(
  random: Random,
  { webhookId, eventKey, type, at, data, now }: News,
): typeof webhookDeliveries.$inferInsert {
  return {
    webhookId,
    messageId: `msg_${randomId(random)}`,
    eventKey,
    type,
    body: JSON.stringify({ type, timestamp: at.toISOString(), data }),
    nextAt: now,
    createdAt: now,
  }
}
