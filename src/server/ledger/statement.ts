import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { ledger } from '../db/schema/ledger.ts'
import { type Account, total } from './ledger.ts'

export type Statement = {
  received: Cents
  /** The amounts of used vouchers. */
  vouchers: Cents
  held: Cents
  earned: Cents
  credit: Cents
  /** Credit of deleted accounts. */
  unclaimed: Cents
  /** True if every cent received is in one of the accounts. */
  isBalanced: boolean
}

/**
 * Balanced if received + vouchers = earned + held + credit, and the amount of each payment and of
 * each used voucher is in the ledger.
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
    vouchers: of('vouchers'),
    held: -of('held') || 0,
    earned: -of('earned') || 0,
    credit: -of('credit') || 0,
    unclaimed: -(lost?.total ?? 0) || 0,
  }
  const { received, vouchers, held, earned, credit } = figures
  return {
    ...figures,
    isBalanced:
      received + vouchers === held + earned + credit &&
      held >= 0 &&
      (await isTrueToRows(db, { received, vouchers })),
  }
}

async function isTrueToRows(
  db: Db,
  { received, vouchers }: Pick<Statement, 'received' | 'vouchers'>,
): Promise<boolean> {
  const { rows } = (await db.execute(
    sql`select
      (select coalesce(sum(received_cents - refunded_cents - lost_cents), 0)::int from payments) as kept,
      (select coalesce(sum(amount_cents), 0)::int from vouchers where used_at is not null) as used`,
  )) as unknown as { rows: { kept: number; used: number }[] }
  return rows[0]?.kept === received && rows[0].used === vouchers
}
