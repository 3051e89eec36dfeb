import { randomUUID } from 'node:crypto'
import { and, eq, sum } from 'drizzle-orm'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Db } from '../db/database.ts'
import { type LEDGER_ACCOUNTS, ledger } from '../db/schema/ledger.ts'

/**
 * - `received`: money that providers took for us and have not sent back
 * - `vouchers`: money that operators took for vouchers that are used
 * - `held`: paid for an order that is not delivered yet
 * - `earned`: delivered
 * - `credit`: the client's own, for the next order
 */
export type Account = (typeof LEDGER_ACCOUNTS)[number]

/** The owner and the purpose of the money. */
type About = {
  userId: number | null
  /** Undefined for money that belongs to no order. */
  orderId?: number
  paymentId?: number
  provider?: string
  reason: string
  at: Date
}

type Transfer = About & {
  from: Account
  to: Account
  cents: Cents
  /** A second posting with the same key is refused by the database. */
  key?: string
}

/** Writes two entries. `received` and `vouchers` count up where the others count down, so every posting sums to zero. */
export async function transfer(
  tx: Db,
  { from, to, cents, key, ...about }: Transfer,
): Promise<void> {
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
  await tx.insert(ledger).values([{ ...entry(from, cents), key: key ?? null }, entry(to, -cents)])
}

/** The sum of the selected entries. */
export const total = sum(ledger.amountCents).mapWith(Number)

/** The balance of one account for one order. */
export async function heldIn(
  tx: Db,
  account: Exclude<Account, 'received' | 'vouchers'>,
  orderId: number,
): Promise<Cents> {
  const [row] = await tx
    .select({ total })
    .from(ledger)
    .where(and(eq(ledger.account, account), eq(ledger.orderId, orderId)))
  return -(row?.total ?? 0) || 0
}
