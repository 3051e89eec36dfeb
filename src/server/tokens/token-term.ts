import { eq } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { tokens } from '../db/schema/stock.ts'
import type { TokenRow } from './token-rows.ts'

/**
 * The end of a token after its last term was refunded: one term earlier, but never before now,
 * because the grace period counts from it. An expired token keeps its end.
 */
function endWithoutTerm(token: Pick<TokenRow, 'expiresAt' | 'durationDays'>, now: Date): Date {
  const end = token.expiresAt?.getTime() ?? now.getTime()
  const shorter = Math.max(now.getTime(), end - token.durationDays * DAY_MS)
  return new Date(Math.min(end, shorter))
}

/** The caller must hold the token's lock. */
export async function takeTermBack(tx: Db, token: TokenRow, now: Date): Promise<TokenRow> {
  const expiresAt = endWithoutTerm(token, now)
  await tx.update(tokens).set({ expiresAt }).where(eq(tokens.id, token.id))
  return { ...token, expiresAt }
}
