import type { Db } from '../db/database.ts'
import type { Audience, EventBus } from '../events/event-bus.ts'

/** Tells the pages that show reverse names to read them again. */
export const publishNames = (tx: Db, events: EventBus, audiences: Audience | Audience[]) =>
  events.emit(tx, audiences, { type: 'changed', nouns: ['network', 'reverseDns'] })
