import { eq } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { tokens } from '../db/schema/stock.ts'
import type { TokenRow } from './token-rows.ts'

/**
 * The end of a token whose last term was paid back: one term earlier, but never before now, from
 * where the grace period counts. One that is over already stays as it is.
 */
function endWithoutTerm(token: Pick<TokenRow, 'expiresAt' | 'durationDays'>, now: Date): Date {
  const end = token.expiresAt?.getTime() ?? now.getTime()
  const shorter = Math.max(now.getTime(), end - token.durationDays * DAY_MS)
  return new Date(Math.min(end, shorter))
}

/** The caller holds the token. */
export async function takeTermBack(tx: Db, token: TokenRow, now: Date): Promise<TokenRow> {
  const expiresAt = endWithoutTerm(token, now)
  await tx.update(tokens).set({ expiresAt }).where(eq(tokens.id, token.id))
  return { ...token, expiresAt }
}
