import { and, eq } from 'drizzle-orm'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'
import { ledger } from '../db/schema/ledger.ts'
import { total } from './ledger.ts'

export async function creditOf(tx: Db, userId: number): Promise<Cents> {
  const [row] = await tx
    .select({ total })
    .from(ledger)
    .where(and(eq(ledger.account, 'credit'), eq(ledger.userId, userId)))
  return -(row?.total ?? 0) || 0
}

/** Must be held before credit is spent, so that two concurrent orders cannot spend it twice. */
export async function lockCredit(tx: Db, userId: number): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
}
