import { eq } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { tokens } from '../db/schema/stock.ts'
import type { TokenRow } from './token-rows.ts'

/**
 * The end of a token after its last term was refunded: as much earlier as it bought, but never before now,
 * because the grace period counts from it. An expired token keeps its end.
 */
function endWithoutTerm(
  token: Pick<TokenRow, 'expiresAt' | 'durationDays'>,
  now: Date,
  periods: number,
): Date {
  const end = token.expiresAt?.getTime() ?? now.getTime()
  const shorter = Math.max(now.getTime(), end - token.durationDays * periods * DAY_MS)
  return new Date(Math.min(end, shorter))
}

/**
 * The caller must hold the token's lock. Ends the renewal from credit, which would buy the same
 * time again.
 */
export async function takeTermBack(
  tx: Db,
  token: TokenRow,
  { months }: { months: number },
  now: Date,
): Promise<TokenRow> {
  const expiresAt = endWithoutTerm(token, now, months)
  await tx.update(tokens).set({ expiresAt, autoRenew: false }).where(eq(tokens.id, token.id))
  return { ...token, expiresAt, autoRenew: false }
}
