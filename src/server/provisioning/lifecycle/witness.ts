import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../../db/database.ts'
import { serviceTime } from '../../db/schema/service-time.ts'
import type { Clock } from '../../lib/clock.ts'

/**
 * How much of the time before its first look a new process may count: it did not witness that time.
 */
const FIRST_LOOK_MS = 60_000
/** The minimum interval between two writes; looks in between are not stored. */
const WRITE_MS = 10_000
/** A longer gap, or a clock this far behind, needs an operator's explanation. */
const GAP_MS = DAY_MS
const BEHIND_MS = 10 * 60_000

export type Witnessed = {
  /** How long this installation has been running. */
  ms: number
  /**
   * The service was down or the clock is wrong, and the process cannot tell which: nothing is
   * removed.
   */
  isDoubtful: boolean
}

/** One look of this process at the time. */
export type Witness = (tx: Db) => Promise<Witnessed>

/**
 * Adds up the time that passed while a process was running to witness it. A look counts the time
 * since the last look by any process, but never more than this process itself measured: neither a
 * clock that jumps nor days of downtime shorten a server's grace period.
 */
export function createWitness(clock: Clock): Witness {
  let mine: number | undefined
  return async (tx) => {
    // Looks come one after the other, so that none overwrites what another has counted.
    const [row] = await tx.select().from(serviceTime).for('update')
    const now = clock.now()
    const elapsed = clock.elapsed?.() ?? now.getTime()
    if (!row) {
      await tx.insert(serviceTime).values({ seenAt: now }).onConflictDoNothing()
      mine = elapsed
      return { ms: 0, isDoubtful: false }
    }
    const since = now.getTime() - row.seenAt.getTime()
    const isFirst = mine === undefined
    const seen = elapsed - (mine ?? elapsed - FIRST_LOOK_MS)
    if (!isFirst && since >= 0 && since < WRITE_MS) return witnessedOf(row)
    const gapMs = isFirst ? addGap(row.gapMs, since) : row.gapMs
    const witnessedMs = row.witnessedMs + Math.max(0, Math.min(since, seen))
    await tx.update(serviceTime).set({ witnessedMs, seenAt: now, gapMs })
    mine = elapsed
    return witnessedOf({ witnessedMs, gapMs })
  }
}

const witnessedOf = (row: { witnessedMs: number; gapMs: number | null }): Witnessed => ({
  ms: row.witnessedMs,
  isDoubtful: row.gapMs !== null,
})

/** A start with a wrong clock and a later start with the right one cancel each other out. */
function addGap(known: number | null, since: number): number | null {
  const isGap = since > GAP_MS || since < -BEHIND_MS
  if (!isGap) return known
  const sum = (known ?? 0) + since
  return Math.abs(sum) < BEHIND_MS ? null : sum
}

/**
 * The witnessed time at this moment, from which a caller counts a deadline. This process looks first:
 * otherwise its next look would add the time since the last one, and the deadline could be over.
 */
export async function witnessedNow(
  { db, clock }: { db: Db; clock: Clock },
  witness: Witness,
): Promise<number> {
  await db.transaction((tx) => witness(tx))
  const [row] = await db.select().from(serviceTime)
  if (!row) return 0
  const unstored = clock.now().getTime() - row.seenAt.getTime()
  return row.witnessedMs + Math.min(Math.max(0, unstored), WRITE_MS)
}

/** The stored value, for callers that do not count time themselves. */
export async function witnessedIn(db: Db): Promise<Witnessed> {
  const [row] = await db.select().from(serviceTime)
  return row ? witnessedOf(row) : { ms: 0, isDoubtful: false }
}
