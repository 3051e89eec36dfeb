import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { ledger } from '../db/schema/ledger.ts'
import { type Account, total } from './ledger.ts'

export type Statement = {
  received: Cents
  held: Cents
  earned: Cents
  credit: Cents
  /** Credit of deleted accounts. */
  unclaimed: Cents
  /** True if every cent received is in one of the accounts. */
  isBalanced: boolean
}

/**
 * Balanced if received = earned + held + credit, and the amount of each payment is in the ledger.
 */
export async function statement(db: Db): Promise<Statement> {
  const rows = await db
    .select({ account: ledger.account, total })
    .from(ledger)
    .groupBy(ledger.account)
  const of = (account: Account) => rows.find((row) => row.account === account)?.total ?? 0
  const [lost] = await db
    .select({ total })
    .from(ledger)
    .where(and(eq(ledger.account, 'credit'), isNull(ledger.userId)))
  const figures = {
    received: of('received'),
    held: -of('held') || 0,
    earned: -of('earned') || 0,
    credit: -of('credit') || 0,
    unclaimed: -(lost?.total ?? 0) || 0,
  }
  const { received, held, earned, credit } = figures
  return {
    ...figures,
    isBalanced:
      received === held + earned + credit && held >= 0 && (await isTrueToPayments(db, received)),
  }
}

async function isTrueToPayments(db: Db, received: Cents): Promise<boolean> {
  const { rows } = (await db.execute(
    sql`select coalesce(sum(received_cents - refunded_cents - lost_cents), 0)::int as kept from payments`,
  )) as unknown as { rows: { kept: number }[] }
  return rows[0]?.kept === received
}
