import { and, eq } from 'drizzle-orm'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { DISPUTE_STATES, disputes, orders, payments } from '../db/schema/sales.ts'
import type { DisputeFacts } from './port/payment-provider.ts'

const rank = (state: DisputeFacts['state']): number => DISPUTE_STATES.indexOf(state)

/**
 * Writes down what is new of a payment's disputes. Each only moves on, so facts that were read
 * earlier and come later change nothing. Returns those that moved, and what is lost in all.
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

/** Is money of any order of this token lost to a bank? */
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
