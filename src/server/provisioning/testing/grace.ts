import { eq } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { serverEnds, serviceTime } from '../../db/schema/service-time.ts'
import { tokens } from '../../db/schema/stock.ts'
import type { TestApp } from '../../testing/test-app.ts'
import type { byHand } from './by-hand.ts'

type Hand = Pick<ReturnType<typeof byHand>, 'run' | 'jobs' | 'end'>

/** As if a sweep had ordered the removal of an ended server after the whole grace period. */
export async function endGrace(t: TestApp, hand: Hand, tokenId: number): Promise<void> {
  const { clock } = t.deps
  const at = new Date(clock.now().getTime() - 8 * DAY_MS)
  await t.db.update(tokens).set({ cancelledAt: at, expiresAt: at }).where(eq(tokens.id, tokenId))
  const recorded = { endsAt: at, since: at.toISOString(), recordedAt: at, recordedMs: 0 }
  const ordered = { tokenId, ...recorded, orderedMs: 8 * DAY_MS }
  await t.db.insert(serverEnds).values(ordered).onConflictDoUpdate({
    target: serverEnds.tokenId,
    set: ordered,
  })
  const witnessed = { seenAt: clock.now(), witnessedMs: 8 * DAY_MS }
  await t.db.insert(serviceTime).values(witnessed).onConflictDoUpdate({
    target: serviceTime.id,
    set: witnessed,
  })
  await hand.run(await hand.jobs.enqueue(t.db, hand.end, { tokenId, name: 'Small' }))
}
