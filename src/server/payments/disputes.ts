import { and, eq } from 'drizzle-orm'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { DISPUTE_STATES, disputes, orders, payments } from '../db/schema/sales.ts'
import type { DisputeFacts } from './port/payment-provider.ts'

const rank = (state: DisputeFacts['state']): number => DISPUTE_STATES.indexOf(state)

/**
 * Records what is new about a payment's disputes. A dispute only moves forward, so stale facts that
 * arrive late change nothing. Returns the disputes that moved and the total lost.
 */
export async function recordDisputes(
  tx: Db,
  paymentId: number,
  facts: readonly DisputeFacts[],
  now: Date,
): Promise<{ moved: DisputeFacts[]; lostCents: Cents }> {
  const rows = await tx.select().from(disputes).where(eq(disputes.paymentId, paymentId))
  const known = new Map(rows.map((row) => [row.id, row]))
  const moved = facts.filter(({ id, state }) => {
    const before = known.get(id)
    return before === undefined || rank(state) > rank(before.state)
  })
  for (const { id, cents: amountCents, state } of moved) {
    await tx
      .insert(disputes)
      .values({ id, paymentId, amountCents, state, createdAt: now, updatedAt: now })
      .onConflictDoUpdate({ target: disputes.id, set: { state, amountCents, updatedAt: now } })
  }
  const after = new Map(rows.map(({ id, amountCents: cents, state }) => [id, { cents, state }]))
  for (const { id, cents, state } of moved) after.set(id, { cents, state })
  const lost = [...after.values()].filter(({ state }) => state === 'lost')
  return { moved, lostCents: lost.reduce((sum, { cents }) => sum + cents, 0) }
}

/** True if any order of this token has a lost dispute. */
export async function hasLostDispute(tx: Db, tokenId: number): Promise<boolean> {
  const [row] = await tx
    .select({ id: disputes.id })
    .from(disputes)
    .innerJoin(payments, eq(payments.id, disputes.paymentId))
    .innerJoin(orders, eq(orders.id, payments.orderId))
    .where(and(eq(orders.tokenId, tokenId), eq(disputes.state, 'lost')))
    .limit(1)
  return row !== undefined
}
