import { and, asc, eq, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { reverseNames } from '../db/schema/addresses.ts'
import { concerned, type EventBus } from '../events/event-bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { type DnsServer, DnsServerError } from './dns-server.ts'
import { dnsServerOf, storedDnsServer } from './dns-server-store.ts'
import { publishNames } from './publish-names.ts'

/** As many in one go; the next ones come seconds later. */
const AT_ONCE = 200
/** Longer than any call takes: a process that was killed in one is replaced after it. */
const BUSY_MS = MINUTE_MS
/** Names in force are told again, so that what was lost or changed there comes back. */
const AGAIN_MS = DAY_MS
const PAUSE_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 900

type Row = typeof reverseNames.$inferSelect
type TellDeps = {
  db: Db
  clock: Clock
  keyring: Keyring
  events: EventBus
  config: Pick<Config, 'demo'>
  log: Log
}

/**
 * Tells the DNS server every name that it does not have yet. A row is claimed before the call and
 * judged by its wish after it: a newer wish is told next, and never overtaken by an older one.
 */
export function createNameTeller(deps: TellDeps) {
  const { db, clock, keyring, events, log } = deps

  const isDue = (now: Date): SQL | undefined =>
    and(
      lte(reverseNames.nextAt, now),
      or(isNull(reverseNames.busyUntil), lte(reverseNames.busyUntil, now)),
    )

  const claim = async (id: number): Promise<Row | undefined> => {
    const now = clock.now()
    const [row] = await db
      .update(reverseNames)
      .set({ busyUntil: new Date(now.getTime() + BUSY_MS) })
      .where(and(eq(reverseNames.id, id), isDue(now)))
      .returning()
    return row
  }

  /** Stores what came of it, unless a newer wish was made meanwhile; that one is due at once. */
  const settle = (row: Row, failure: DnsServerError | undefined): Promise<void> =>
    db.transaction(async (tx) => {
      const isClaimed = and(
        eq(reverseNames.id, row.id),
        eq(reverseNames.busyUntil, row.busyUntil ?? new Date(0)),
      )
      const isSame = and(isClaimed, eq(reverseNames.wish, row.wish))
      if (failure) await tx.update(reverseNames).set(failed(failure, clock.now())).where(isSame)
      else if (row.wanted === null) await tx.delete(reverseNames).where(isSame)
      else await tx.update(reverseNames).set(inForce(clock.now())).where(isSame)
      await tx.update(reverseNames).set({ busyUntil: null }).where(isClaimed)
      await publish(tx, [row.ownerId])
    })

  const publish = async (tx: Db, owners: (number | null)[]) => {
    const audiences = new Set(owners.flatMap((owner) => concerned(owner)))
    if (owners.length > 0) await publishNames(tx, events, [...audiences])
  }

  const tell = async (server: DnsServer, id: number): Promise<DnsServerError | undefined> => {
    const row = await claim(id)
    if (!row) return undefined
    let failure: DnsServerError | undefined
    try {
      const { name, address, wanted } = row
      await server.tell({ name, address, hostname: wanted })
    } catch (error) {
      if (!(error instanceof DnsServerError)) throw error
      failure = error
      log.warn({ err: error, name: row.name }, 'the DNS server did not take a reverse name')
    }
    await settle(row, failure)
    return failure
  }

  /** With the DNS server away, the others would only wait for their turn to say so. */
  const postpone = (ids: number[], failure: DnsServerError): Promise<void> =>
    db.transaction(async (tx) => {
      const now = clock.now()
      const rows = await tx
        .update(reverseNames)
        .set(failed(failure, now))
        .where(and(inArray(reverseNames.id, ids), isDue(now)))
        .returning({ ownerId: reverseNames.ownerId })
      await publish(
        tx,
        rows.map(({ ownerId }) => ownerId),
      )
    })

  return async (): Promise<void> => {
    const stored = await storedDnsServer(db, keyring)
    if (!stored) return
    const server = dnsServerOf(stored, deps)
    const due = await db
      .select({ id: reverseNames.id })
      .from(reverseNames)
      .where(isDue(clock.now()))
      .orderBy(asc(reverseNames.nextAt), asc(reverseNames.id))
      .limit(AT_ONCE)
    const ids = due.map(({ id }) => id)
    for (const [index, id] of ids.entries()) {
      const failure = await tell(server, id)
      if (failure?.fault !== 'away') continue
      const rest = ids.slice(index + 1)
      return rest.length === 0 ? undefined : await postpone(rest, failure)
    }
  }
}

const inForce = (now: Date) =>
  ({
    state: 'set',
    reason: null,
    tries: 0,
    nextAt: new Date(now.getTime() + AGAIN_MS),
    busyUntil: null,
  }) as const

/**
 * Tried again after 10 seconds, then after twice as long each time, up to a quarter of an hour. A
 * name in force stays so while the DNS server is away.
 */
const failed = ({ message, fault }: DnsServerError, now: Date) => {
  const isKept = fault === 'away' ? sql`${reverseNames.state} = 'set'` : sql`false`
  return {
    state: sql<Row['state']>`case when ${isKept} then 'set' else 'failed' end`,
    reason: sql`case when ${isKept} then null else ${message} end`,
    tries: sql`${reverseNames.tries} + 1`,
    nextAt: sql`${now.toISOString()}::timestamptz + least(${PAUSE_SECONDS} * power(2, least(${reverseNames.tries}, 20)), ${LONGEST_PAUSE_SECONDS}) * interval '1 second'`,
    busyUntil: null,
  }
}
