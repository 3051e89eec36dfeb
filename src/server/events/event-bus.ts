import { and, gt, inArray, lt, max, type SQL, sql } from 'drizzle-orm'
import type { ServerEvent } from '#shared/api/overview/events.ts'
import type { Database, Db } from '../db/database.ts'
import { events } from '../db/schema/work.ts'
import type { Log } from '../lib/log.ts'
import { createReader } from './event-reader.ts'

const CHANNEL = 'hushbox_events'
/**
 * Ids are assigned before the commit, so a smaller one may appear after a larger one. A resuming
 * stream therefore reads this far back; pages drop what they have seen.
 */
const OVERLAP = 200
const REPLAY_MAX = 1000
/** No transaction that emits an event takes longer. */
const LONGEST_MS = 10_000

export type Audience = `user:${number}` | 'admins' | 'everyone'
/** The administrators, and the account it is about, if any. */
export const concerned = (userId: number | null): Audience[] =>
  userId === null ? ['admins'] : ['admins', `user:${userId}`]

type Telling = { audience: Audience; body: ServerEvent }
export type StoredEvent = { id: number; audience: string; body: ServerEvent }
type Listener = { audiences: ReadonlySet<string>; onEvent: (event: StoredEvent) => void }

export type EventBus = {
  /** Sends an event to pages, on every server process, if and when the transaction commits. */
  emit(tx: Db, audiences: Audience | readonly Audience[], body: ServerEvent): Promise<void>
  emitAll(tx: Db, tellings: readonly Telling[]): Promise<void>
  subscribe(audiences: Audience[], onEvent: (event: StoredEvent) => void): () => void
  /** The events of these audiences after a given one; may repeat a few before it. */
  since(audiences: Audience[], lastId: number): Promise<StoredEvent[]>
  /** The events of these audiences in the last `ms` milliseconds; may repeat a few before. */
  lately(audiences: Audience[], ms: number): Promise<StoredEvent[]>
  /** Deletes events that no page can request any more. */
  prune(before: Date): Promise<void>
  close(): Promise<void>
}

export async function createEventBus(database: Database, log: Log): Promise<EventBus> {
  const { db } = database
  const listeners = new Set<Listener>()
  const delivered = new Set<number>()
  let newest = await newestId(db)

  const hand = ({ onEvent }: Listener, event: StoredEvent) => {
    try {
      onEvent(event)
    } catch (error) {
      // A listener that fails must not keep the others from being called.
      log.error({ err: error }, 'events: a listener failed')
    }
  }

  const deliver = (rows: StoredEvent[]) => {
    for (const event of rows) {
      if (delivered.has(event.id)) continue
      delivered.add(event.id)
      newest = Math.max(newest, event.id)
      for (const listener of listeners) {
        if (listener.audiences.has(event.audience)) hand(listener, event)
      }
    }
    for (const id of delivered) {
      if (delivered.size <= OVERLAP * 5) break
      delivered.delete(id)
    }
  }

  const reader = createReader({
    log,
    async readThese(ids) {
      if (listeners.size === 0) newest = Math.max(newest, ...ids)
      else deliver(await read(db, inArray(events.id, ids)))
    },
    async catchUp() {
      if (listeners.size === 0) {
        newest = await newestId(db)
        return
      }
      for (let from = newest - OVERLAP, isMore = true; isMore; ) {
        const rows = await read(db, gt(events.id, from))
        deliver(rows)
        from = rows.at(-1)?.id ?? from
        isMore = rows.length === REPLAY_MAX
      }
    },
  })

  const stop = await database.listen(CHANNEL, (payload) => reader.read(payload), reader.catchUp)

  return {
    emit: (tx, audiences, body) =>
      emitAll(
        tx,
        [audiences].flat().map((audience) => ({ audience, body })),
      ),
    emitAll,
    subscribe(audiences, onEvent) {
      const listener = { audiences: new Set<string>(audiences), onEvent }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    since: (audiences, lastId) =>
      read(db, and(gt(events.id, lastId - OVERLAP), inArray(events.audience, audiences))),
    // An event has the time at which its transaction began, and is visible when that ends.
    lately: (audiences, ms) =>
      read(
        db,
        and(
          sql`${events.at} > now() - make_interval(secs => ${(ms + LONGEST_MS) / 1000})`,
          inArray(events.audience, audiences),
        ),
      ),
    async prune(before) {
      await db.delete(events).where(lt(events.at, before))
    },
    async close() {
      reader.close()
      await stop()
    },
  }
}

function read(db: Db, where: SQL | undefined): Promise<StoredEvent[]> {
  return db
    .select({
      id: events.id,
      audience: events.audience,
      body: sql<ServerEvent>`${events.body}`,
    })
    .from(events)
    .where(where)
    .orderBy(events.id)
    .limit(REPLAY_MAX)
}

/** Writes all of them with one statement, in the transaction that caused them. */
async function emitAll(tx: Db, tellings: readonly Telling[]): Promise<void> {
  if (tellings.length === 0) return
  const rows = tellings.map(
    ({ audience, body }) => sql`(${audience}, ${JSON.stringify(body)}::jsonb)`,
  )
  await tx.execute(sql`
    with told as (
      insert into ${events} (audience, body) values ${sql.join(rows, sql`, `)} returning id
    ) select pg_notify(${CHANNEL}, id::text) from told`)
}

async function newestId(db: Db): Promise<number> {
  const [row] = await db.select({ id: max(events.id) }).from(events)
  return row?.id ?? 0
}
