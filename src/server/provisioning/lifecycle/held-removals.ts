import { and, inArray, isNull } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { serverEnds, serviceTime } from '../../db/schema/service-time.ts'
import type { Clock } from '../../lib/clock.ts'
import {
  type Ended,
  endedTokens,
  isGraceOver,
  type RemovalConfig,
  removals,
} from './server-ends.ts'
import { witnessedIn } from './witness.ts'

type HeldDeps = { clock: Clock; config: RemovalConfig }

/** Servers whose grace period is over and which no sweep removes before an operator confirms. */
export async function heldRemovals(db: Db, { clock, config }: HeldDeps): Promise<Ended[]> {
  const moment = { now: clock.now(), witnessed: await witnessedIn(db) }
  const ends = new Map((await db.select().from(serverEnds)).map((row) => [row.tokenId, row]))
  const due: Ended[] = []
  for (const token of await endedTokens(db)) {
    const end = ends.get(token.id)
    if (end && isGraceOver({ token, end }, moment, config)) due.push({ token, end })
  }
  return (await removals(db, due, moment.witnessed, config)).held
}

/**
 * Confirms those of the given servers that are held, and returns them. The next sweep enqueues
 * their removal.
 */
export async function approveRemovals(
  tx: Db,
  tokenIds: readonly number[],
  deps: HeldDeps,
): Promise<number[]> {
  const held = (await heldRemovals(tx, deps)).map(({ token }) => token.id)
  const approved = held.filter((id) => tokenIds.includes(id))
  if (approved.length === 0) return []
  await tx
    .update(serverEnds)
    .set({ approvedAt: deps.clock.now() })
    .where(and(inArray(serverEnds.tokenId, approved), isNull(serverEnds.approvedAt)))
  return approved
}

/** Every process adopts the database's clock when it sees the new number. */
export async function confirmTime(tx: Db, { clock }: Pick<HeldDeps, 'clock'>): Promise<void> {
  const [row] = await tx.select().from(serviceTime).for('update')
  const confirmations = (row?.confirmations ?? 0) + 1
  await tx
    .insert(serviceTime)
    .values({ seenAt: clock.now(), confirmations })
    .onConflictDoUpdate({ target: serviceTime.id, set: { confirmations, gapMs: null } })
}
