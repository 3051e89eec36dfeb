import type { Db } from '../db/database.ts'
import { concerned, type EventBus } from '../events/event-bus.ts'

/** Tells every page that shows tokens, orders, instances or amounts due to reload them. */
export async function publishTokenChange(tx: Db, events: EventBus, userId: number | null) {
  const nouns = ['tokens', 'instances', 'orders', 'billing']
  await events.emitAll(tx, [
    { audience: 'everyone', body: { type: 'changed', nouns: ['tokens'] } },
    ...concerned(userId).map((audience) => ({
      audience,
      body: { type: 'changed', nouns } as const,
    })),
  ])
}
