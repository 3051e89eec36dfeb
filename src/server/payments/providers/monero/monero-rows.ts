import { and, asc, desc, eq, gt, inArray, lte, max, sql } from 'drizzle-orm'
import type { Db } from '../../../db/database.ts'
import { moneroPayments, type SeenTransfer } from '../../../db/schema/ledger.ts'

export type MoneroRow = typeof moneroPayments.$inferSelect
type NewRow = Omit<typeof moneroPayments.$inferInsert, 'id'>

/** What the operator's own wallet finds without being told. */
const USUAL_LOOK_AHEAD = 200
const ROUNDED_TO = 50

export async function rowOfAddress(db: Db, address: string): Promise<MoneroRow | undefined> {
  const [row] = await db.select().from(moneroPayments).where(eq(moneroPayments.address, address))
  return row
}

export async function rowOfReference(db: Db, reference: string): Promise<MoneroRow | undefined> {
  const isIt = eq(moneroPayments.reference, reference)
  const [row] = await db.select().from(moneroPayments).where(isIt)
  return row
}

export const rowsOfIndices = (db: Db, wallet: string, indices: number[]): Promise<MoneroRow[]> =>
  db
    .select()
    .from(moneroPayments)
    .where(and(eq(moneroPayments.wallet, wallet), inArray(moneroPayments.addressIndex, indices)))

/** Undefined if its index, or its bill, has a row already. */
export async function insertRow(db: Db, values: NewRow): Promise<MoneroRow | undefined> {
  const [row] = await db.insert(moneroPayments).values(values).onConflictDoNothing().returning()
  return row
}

type Offer = Pick<MoneroRow, 'rate' | 'duePico' | 'expiresAt'>

/** A bill whose first answer was lost, and asked for again after its time: no client saw the old rate. */
export async function offerAgain(
  db: Db,
  { id }: MoneroRow,
  now: Date,
  offer: Offer,
): Promise<MoneroRow | undefined> {
  const isOver = and(eq(moneroPayments.id, id), lte(moneroPayments.expiresAt, now))
  const [row] = await db.update(moneroPayments).set(offer).where(isOver).returning()
  return row
}

/** The highest index handed out of a wallet; 0, its own address, if none was. */
export async function highestIndex(db: Db, wallet: string): Promise<number> {
  const [row] = await db
    .select({ index: max(moneroPayments.addressIndex) })
    .from(moneroPayments)
    .where(eq(moneroPayments.wallet, wallet))
  return row?.index ?? 0
}

/** The greatest height at which a wallet was known to be, at any time or until a moment. */
export async function highestHeight(db: Db, wallet: string, until?: Date): Promise<number> {
  const [row] = await db
    .select({ height: max(moneroPayments.height) })
    .from(moneroPayments)
    .where(
      and(
        eq(moneroPayments.wallet, wallet),
        until === undefined ? undefined : lte(moneroPayments.createdAt, until),
      ),
    )
  return row?.height ?? 0
}

type Sight = Pick<MoneroRow, 'seenPico' | 'finalPico' | 'confirmations' | 'confirmationsNeeded'>

export async function storeSight(db: Db, { id }: MoneroRow, sight: Sight): Promise<void> {
  await db.update(moneroPayments).set(sight).where(eq(moneroPayments.id, id))
}

/** Keeps what each new transfer is worth; one that another process kept first stays as it is. */
export async function keepTransfers(
  db: Db,
  { id }: MoneroRow,
  seen: Record<string, SeenTransfer>,
): Promise<Record<string, SeenTransfer>> {
  const [row] = await db
    .update(moneroPayments)
    .set({ transfers: sql`${JSON.stringify(seen)}::jsonb || ${moneroPayments.transfers}` })
    .where(eq(moneroPayments.id, id))
    .returning({ transfers: moneroPayments.transfers })
  return row?.transfers ?? {}
}

/**
 * How many addresses the operator's own wallet has to look past to find all money: the longest run
 * without any. It counts to the last one handed out, which may still be paid.
 */
export async function lookAhead(
  db: Db,
): Promise<{ needed: number; handedOut: number } | undefined> {
  const [latest] = await db
    .select({ wallet: moneroPayments.wallet })
    .from(moneroPayments)
    .orderBy(desc(moneroPayments.id))
    .limit(1)
  if (!latest) return undefined
  const handedOut = await highestIndex(db, latest.wallet)
  const used = await db
    .select({ index: moneroPayments.addressIndex })
    .from(moneroPayments)
    .where(and(eq(moneroPayments.wallet, latest.wallet), gt(moneroPayments.seenPico, '0')))
    .orderBy(asc(moneroPayments.addressIndex))
  let gap = 0
  let last = 0
  for (const { index } of [...used, { index: handedOut }]) {
    gap = Math.max(gap, index - last)
    last = index
  }
  const rounded = Math.ceil((gap + 1) / ROUNDED_TO) * ROUNDED_TO
  return { needed: Math.max(USUAL_LOOK_AHEAD, rounded), handedOut }
}
