import { and, eq, gt, inArray, isNotNull, isNull, lt, notInArray, or } from 'drizzle-orm'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { keptUntil } from '#shared/rules/token/token-expiry.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/database.ts'
import { serverEnds } from '../../db/schema/service-time.ts'
import { tokens } from '../../db/schema/stock.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import type { Witnessed } from './witness.ts'

export type EndRow = typeof serverEnds.$inferSelect
export type Ended = { token: TokenRow; end: EndRow }
type Moment = { now: Date; witnessed: Witnessed }
export type RemovalConfig = Pick<Config, 'graceDays' | 'removalsPerHour'>

/** Tokens that ended and still have a server. */
export const endedTokens = (tx: Db): Promise<TokenRow[]> =>
  tx
    .select()
    .from(tokens)
    .where(
      and(inArray(tokens.status, ['expired', 'cancelled']), isNotNull(tokens.assignedInstanceId)),
    )

/**
 * Records the ends since the last sweep and deletes those of tokens that continue. Returns what was
 * recorded before.
 */
export async function recordEnds(
  tx: Db,
  ended: readonly TokenRow[],
  { now, witnessed }: Moment,
): Promise<Map<number, EndRow & { isNew: boolean }>> {
  const known = new Map((await tx.select().from(serverEnds)).map((row) => [row.tokenId, row]))
  const ends = new Map<number, EndRow & { isNew: boolean }>()
  for (const token of ended) {
    const endsAt = keptUntil(token, 0) ?? now
    const before = known.get(token.id)
    if (before && before.endsAt.getTime() === endsAt.getTime()) {
      ends.set(token.id, { ...before, isNew: false })
      continue
    }
    const row: EndRow = {
      tokenId: token.id,
      endsAt,
      since: (token.status === 'cancelled' ? endsAt : now).toISOString(),
      recordedAt: now,
      recordedMs: witnessed.ms,
      orderedMs: null,
      approvedAt: null,
      backupTries: 0,
      backupTriedAt: null,
    }
    await tx
      .insert(serverEnds)
      .values(row)
      .onConflictDoUpdate({ target: serverEnds.tokenId, set: row })
    ends.set(token.id, { ...row, isNew: true })
  }
  await forget(tx, [...ends.keys()], witnessed)
  return ends
}

/** Keeps the rows of removals within the last hour, because the cap counts them. */
async function forget(tx: Db, ended: number[], { ms }: Witnessed): Promise<void> {
  const isOver = ended.length === 0 ? undefined : notInArray(serverEnds.tokenId, ended)
  const isOld = or(isNull(serverEnds.orderedMs), lt(serverEnds.orderedMs, ms - HOUR_MS))
  await tx.delete(serverEnds).where(and(isOver, isOld))
}

/**
 * True if the grace period is over both by the clock and by witnessed time since the end was
 * recorded.
 */
export function isGraceOver(
  { token, end }: Ended,
  { now, witnessed }: Moment,
  { graceDays }: Pick<Config, 'graceDays'>,
): boolean {
  const kept = keptUntil(token, graceDays)
  if (!kept || kept > now || end.endsAt.getTime() !== keptUntil(token, 0)?.getTime()) return false
  return witnessed.ms - end.recordedMs >= graceDays * DAY_MS
}

/** The servers that may be removed now, and those beyond the cap that wait for an operator. */
export async function removals(
  tx: Db,
  due: readonly Ended[],
  witnessed: Witnessed,
  { removalsPerHour }: RemovalConfig,
): Promise<{ allowed: Ended[]; held: Ended[] }> {
  const waiting = due.filter(({ end }) => end.orderedMs === null)
  const approved = waiting.filter(({ end }) => end.approvedAt !== null)
  const rest = waiting.filter(({ end }) => end.approvedAt === null)
  const lately = await tx
    .select({ id: serverEnds.tokenId })
    .from(serverEnds)
    .where(and(gt(serverEnds.orderedMs, witnessed.ms - HOUR_MS), isNull(serverEnds.approvedAt)))
  const isTooMany = rest.length > removalsPerHour - lately.length
  if (witnessed.isDoubtful || isTooMany) return { allowed: approved, held: rest }
  return { allowed: [...approved, ...rest], held: [] }
}

/** Marks the removals as ordered; from here on their jobs may run. */
export async function orderRemovals(tx: Db, allowed: readonly Ended[], { ms }: Witnessed) {
  for (const { end } of allowed) {
    end.orderedMs = ms
    await tx.update(serverEnds).set({ orderedMs: ms }).where(eq(serverEnds.tokenId, end.tokenId))
  }
}
