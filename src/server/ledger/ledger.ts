import { randomUUID } from 'node:crypto'
import { and, eq, isNull, sql, sum } from 'drizzle-orm'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { users } from '../db/schema/accounts.ts'
import { type LEDGER_ACCOUNTS, ledger } from '../db/schema/ledger.ts'

/**
 * - `received`: what providers took for us and have not sent back
 * - `held`: paid for an order that is not delivered yet
 * - `earned`: delivered
 * - `credit`: the client's own, for the next order
 */
type Account = (typeof LEDGER_ACCOUNTS)[number]

/** Whose money, for what. */
type About = {
  userId: number | null
  orderId: number
  paymentId?: number
  provider?: string
  reason: string
  at: Date
}

type Transfer = About & { from: Account; to: Account; cents: Cents }

/** `received` counts up where the others count down: together they are always nothing. */
export async function transfer(tx: Db, { from, to, cents, ...about }: Transfer): Promise<void> {
  if (cents < 0) throw new Error('a transfer goes forward')
  if (cents === 0) return
  const posting = randomUUID()
  const entry = (account: Account, amountCents: Cents) => ({
    ...about,
    posting,
    account,
    amountCents,
    provider: account === 'received' ? (about.provider ?? null) : null,
  })
  await tx.insert(ledger).values([entry(from, cents), entry(to, -cents)])
}

const total = sum(ledger.amountCents).mapWith(Number)

/** What lies in an account for one order. */
export async function heldIn(
  tx: Db,
  account: Exclude<Account, 'received'>,
  orderId: number,
): Promise<Cents> {
  const [row] = await tx
    .select({ total })
    .from(ledger)
    .where(and(eq(ledger.account, account), eq(ledger.orderId, orderId)))
  return -(row?.total ?? 0) || 0
}

/** The client's credit. */
export async function creditOf(tx: Db, userId: number): Promise<Cents> {
  const [row] = await tx
    .select({ total })
    .from(ledger)
    .where(and(eq(ledger.account, 'credit'), eq(ledger.userId, userId)))
  return -(row?.total ?? 0) || 0
}

/** Who spends credit takes this first: two orders at once must not spend it twice. */
export async function lockPurse(tx: Db, userId: number): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
}

export type Statement = {
  received: Cents
  held: Cents
  earned: Cents
  credit: Cents
  /** Credit of accounts that no longer exist. */
  unclaimed: Cents
  /** Every cent that was paid is somewhere. */
  isBalanced: boolean
}

/** Paid = delivered + held + credit, and what each payment says it received is in the books. */
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
