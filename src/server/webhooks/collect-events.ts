import { and, asc, eq, gt, inArray, lte, max, min, sql } from 'drizzle-orm'
import { isStaffRole } from '#shared/rules/people/roles.ts'
import { eventOf, eventsFor, TOLD_ACTIONS } from '#shared/rules/people/webhook-events.ts'
import { doneBy } from '../audit/timeline.ts'
import type { Db } from '../db/database.ts'
import { auditLog, users } from '../db/schema/accounts.ts'
import { webhookDeliveries, webhookProgress, webhooks } from '../db/schema/work.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import { newDelivery } from './new-delivery.ts'
import { type About, aboutEntries, TOLD_ENTRY, type ToldEntry } from './owners-of-entries.ts'

/** The one row that says how far we are. */
const ROW = 1
/** Entries in one transaction. */
const BATCH = 500

type CollectDeps = { db: Db; clock: Clock; random: Random }

/**
 * Turns entries of the log into deliveries, each once. The log is the outbox: an entry is in the
 * transaction of what it tells, and entries become visible in the order of their ids, because each
 * is written under one lock that lasts until its commit.
 */
export function createEventCollector(deps: CollectDeps) {
  const { db } = deps

  /** Returns whether there may be more. */
  const collect = (): Promise<boolean> =>
    db.transaction(async (tx) => {
      const listeners = await listening(tx)
      if (listeners.length === 0) return false
      const from = await beginning(tx)
      // Another process is at it.
      if (from === undefined) return false
      const [newest] = await tx.select({ id: max(auditLog.id) }).from(auditLog)
      const until = newest?.id ?? 0
      if (until <= from) return false
      const entries = await entriesAfter(tx, from, until)
      await insertDeliveries(deps, tx, entries, listeners)
      const isWhole = entries.length < BATCH
      const lastId = isWhole ? until : (entries.at(-1)?.id ?? until)
      await tx.update(webhookProgress).set({ lastId }).where(eq(webhookProgress.id, ROW))
      return !isWhole
    })

  return async (): Promise<void> => {
    let isMore = true
    while (isMore) isMore = await collect()
  }
}

type Listener = Awaited<ReturnType<typeof listening>>[number]

/** Webhooks that are on, of accounts that may sign in. */
const listening = (tx: Db) =>
  tx
    .select({
      id: webhooks.id,
      userId: webhooks.userId,
      events: webhooks.events,
      sinceId: webhooks.sinceId,
      role: users.role,
    })
    .from(webhooks)
    .innerJoin(users, eq(users.id, webhooks.userId))
    .where(and(eq(webhooks.isOn, true), eq(users.isActive, true)))

/** Locks the row. What happened while no webhook was on is skipped. */
async function beginning(tx: Db): Promise<number | undefined> {
  await tx.insert(webhookProgress).values({ id: ROW, lastId: 0 }).onConflictDoNothing()
  const [row] = await tx
    .select()
    .from(webhookProgress)
    .where(eq(webhookProgress.id, ROW))
    .for('update', { skipLocked: true })
  if (!row) return undefined
  const [first] = await tx
    .select({ id: min(webhooks.sinceId) })
    .from(webhooks)
    .where(eq(webhooks.isOn, true))
  return Math.max(row.lastId, first?.id ?? 0)
}

const entriesAfter = (tx: Db, from: number, until: number): Promise<ToldEntry[]> =>
  tx
    .select(TOLD_ENTRY)
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.actorId))
    .where(
      and(
        gt(auditLog.id, from),
        lte(auditLog.id, until),
        inArray(auditLog.action, [...TOLD_ACTIONS]),
      ),
    )
    .orderBy(asc(auditLog.id))
    .limit(BATCH)

async function insertDeliveries(
  { clock, random }: CollectDeps,
  tx: Db,
  entries: readonly ToldEntry[],
  listeners: readonly Listener[],
): Promise<void> {
  if (entries.length === 0) return
  const aboutOf = await aboutEntries(tx, entries)
  const rows = entries.flatMap((entry) => {
    const about = aboutOf(entry)
    return listeners
      .filter((listener) => isTold(listener, entry, about))
      .map((listener) => {
        const { serverId, tokenId, orderId } = about
        const by = doneBy(entry, { user: { id: listener.userId } })
        return newDelivery(random, {
          webhookId: listener.id,
          eventKey: `log:${entry.id}`,
          type: eventOf(entry.action) ?? '',
          at: entry.at,
          data: { serverId, tokenId, orderId, by },
          now: clock.now(),
        })
      })
  })
  if (rows.length > 0) await tx.insert(webhookDeliveries).values(rows).onConflictDoNothing()
}

/** A client hears of what is its own; the staff of everything. */
function isTold({ userId, events, sinceId, role }: Listener, entry: ToldEntry, about: About) {
  const event = eventOf(entry.action)
  if (event === undefined || !events.includes(event) || entry.id <= sinceId) return false
  const isStaff = isStaffRole(role)
  return eventsFor(isStaff).includes(event) && (isStaff || about.ownerId === userId)
}

/** For a webhook that is made or switched on now: it is told what happens from here on. */
export async function lastEntry(tx: Db): Promise<number> {
  const [row] = await tx
    .select({ id: sql<number>`coalesce(max(${auditLog.id}), 0)` })
    .from(auditLog)
  return Number(row?.id ?? 0)
}
