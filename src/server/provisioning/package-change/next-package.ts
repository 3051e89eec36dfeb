import { and, eq, isNull } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { nextPackages } from '../../db/schema/service-time.ts'
import { tokens } from '../../db/schema/stock.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import { type Plan, serverName } from './plan-on-sale.ts'

export type NextPackage = typeof nextPackages.$inferSelect

export async function nextPackageOf(tx: Db, tokenId: number): Promise<NextPackage | null> {
  const [row] = await tx.select().from(nextPackages).where(eq(nextPackages.tokenId, tokenId))
  return row ?? null
}

/** From now on every renewal costs what this package costs. The caller holds the token's lock. */
export async function planNext(
  tx: Db,
  token: Pick<TokenRow, 'id' | 'monthlyPriceCents'>,
  plan: Plan,
  now: Date,
): Promise<void> {
  await tx.insert(nextPackages).values({
    tokenId: token.id,
    planId: plan.id,
    planName: plan.name,
    serverName: serverName(plan),
    formerCents: token.monthlyPriceCents,
    createdAt: now,
  })
  await tx
    .update(tokens)
    .set({ monthlyPriceCents: plan.priceCents, billingPlanId: null })
    .where(eq(tokens.id, token.id))
}

/**
 * Keeps the present package and its price, unless the next term is paid already. The caller holds
 * the token's lock. Returns what was planned.
 */
export async function dropNext(tx: Db, tokenId: number): Promise<NextPackage | undefined> {
  const [row] = await tx
    .delete(nextPackages)
    .where(and(eq(nextPackages.tokenId, tokenId), isNull(nextPackages.dueAt)))
    .returning()
  if (!row) return undefined
  await tx.update(tokens).set({ monthlyPriceCents: row.formerCents }).where(eq(tokens.id, tokenId))
  return row
}

/** A term was paid at its price: the package begins where the former term ends. */
export async function markDue(
  tx: Db,
  { id, expiresAt }: Pick<TokenRow, 'id' | 'expiresAt'>,
  now: Date,
): Promise<void> {
  const dueAt = expiresAt !== null && expiresAt > now ? expiresAt : now
  await tx
    .update(nextPackages)
    .set({ dueAt })
    .where(and(eq(nextPackages.tokenId, id), isNull(nextPackages.dueAt)))
}
