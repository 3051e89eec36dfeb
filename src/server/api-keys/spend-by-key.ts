import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { type Cents, decimal } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { keySpendings } from '../db/schema/ledger.ts'
import { apiKeys } from '../db/schema/ssh-keys.ts'

/** The day of a daily limit, in UTC. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

type Spending = { orderId: number; cents: Cents; now: Date }

/**
 * Counts what an order costs against the daily limit of the key that pays it, in the transaction
 * that pays: above the limit nothing of it happens. The key's row is locked, so that of two
 * payments at once the second one counts the first.
 */
export async function spendByKey(
  tx: Db,
  key: { id: number } | undefined,
  { orderId, cents, now }: Spending,
): Promise<void> {
  if (!key || cents === 0) return
  const [row] = await tx
    .select({ limit: apiKeys.dailyLimitCents })
    .from(apiKeys)
    .where(eq(apiKeys.id, key.id))
    .for('update')
  if (!row) throw new AppError('UNAUTHENTICATED', 'This API key was revoked.')
  const day = dayOf(now)
  await tx
    .insert(keySpendings)
    .values({ keyId: key.id, orderId, day, amountCents: cents })
    .onConflictDoNothing()
  if (row.limit === null) return
  const spent = await spentOn(tx, key.id, day)
  if (spent <= row.limit) return
  throw new AppError(
    'SPENDING_LIMIT',
    `This API key can spend $${decimal(row.limit)} a day, and $${decimal(spent - cents)} is spent. ` +
      'Wait until tomorrow (UTC), or sign in to pay.',
  )
}

export async function spentOn(tx: Db, keyId: number, day: string): Promise<Cents> {
  const [row] = await tx
    .select({ total: sql`coalesce(sum(${keySpendings.amountCents}), 0)`.mapWith(Number) })
    .from(keySpendings)
    .where(and(eq(keySpendings.keyId, keyId), eq(keySpendings.day, day)))
  return row?.total ?? 0
}
