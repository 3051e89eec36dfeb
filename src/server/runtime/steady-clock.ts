import { sql } from 'drizzle-orm'
import { rowsOf } from '../db/catalog.ts'
import type { Db } from '../db/database.ts'
import { serviceTime } from '../db/schema/service-time.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

/** A smaller difference is a correction, as by NTP; a larger one is a jump. */
const TOLERATED_MS = 60_000
const COMPARE_MS = 10_000

type Sources = {
  /** Milliseconds that pass, whatever the wall clock says. */
  elapsed(): number
}

export type SteadyClock = Clock & {
  elapsed(): number
  /** How far the database's clock is from ours: 0, unless it jumped. */
  jumpMs(): number
  /** Compares with the database's clock. Small differences are adopted, a jump is not. */
  compare(reference: Date): void
  /** Adopts the jump: an operator has confirmed that the new time is right. */
  adopt(): void
}

/**
 * Time that does not jump. It starts with the database's clock and continues by elapsed time:
 * terms, ends, reservations and sessions are judged by it. Setting the clock wrong under a running
 * server, or right again, changes nothing (decision 016).
 */
export function steadyClock(
  start: Date,
  source: Sources = { elapsed: () => performance.now() },
): SteadyClock {
  // Whole milliseconds, as they are stored.
  const elapsed = () => Math.floor(source.elapsed())
  let offset = start.getTime() - elapsed()
  let jump = 0
  const now = () => new Date(offset + elapsed())
  return {
    now,
    elapsed,
    jumpMs: () => jump,
    compare(reference) {
      const difference = reference.getTime() - now().getTime()
      jump = Math.abs(difference) > TOLERATED_MS ? difference : 0
      if (jump === 0) offset += difference
    },
    adopt() {
      offset += jump
      jump = 0
    },
  }
}

type Reading = { at: Date; confirmations: number }

/** The database's clock, which all processes share, and how often an operator has confirmed it. */
export async function readReference(db: Db): Promise<Reading> {
  const [row] = await rowsOf<{ at: string; confirmations: number | null }>(
    db,
    sql`select extract(epoch from clock_timestamp())::float8 * 1000 as at,
          (select confirmations from ${serviceTime}) as confirmations`,
  )
  if (!row) throw new Error('the database does not tell the time')
  return { at: new Date(Math.round(Number(row.at))), confirmations: row.confirmations ?? 0 }
}

/** Compares every few seconds, until stopped. */
export function watchClock(
  { db, log }: { db: Db; log: Log },
  clock: SteadyClock,
  first: Reading,
): () => void {
  let { confirmations } = first
  let isTold = false
  const look = async () => {
    const reading = await readReference(db)
    clock.compare(reading.at)
    if (reading.confirmations !== confirmations) clock.adopt()
    confirmations = reading.confirmations
    const jumpMs = clock.jumpMs()
    if (jumpMs !== 0 && !isTold) log.warn({ jumpMs }, 'the clock jumped: it is not followed')
    isTold = jumpMs !== 0
  }
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.warn({ err: error }, 'the clock could not be compared'))
  }, COMPARE_MS)
  timer.unref()
  return () => clearInterval(timer)
}
