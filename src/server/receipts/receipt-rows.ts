import { asc, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import type { Receipt, ReceiptKind } from '#shared/api/shop/receipts.ts'
import type { Db } from '../db/database.ts'
import { receipts } from '../db/schema/ledger.ts'

type ReceiptRow = typeof receipts.$inferSelect

const LETTERS: Record<ReceiptKind, string> = { receipt: 'R', 'credit note': 'C' }

export const receiptNumber = ({ kind, number }: Pick<ReceiptRow, 'kind' | 'number'>): string =>
  `${LETTERS[kind]}-${String(number).padStart(6, '0')}`

/** Of these orders, oldest first. */
export async function receiptsOf(db: Db, orderIds: number[]): Promise<z.input<typeof Receipt>[]> {
  const rows = await db
    .select()
    .from(receipts)
    .where(inArray(receipts.orderId, orderIds))
    .orderBy(asc(receipts.number))
  return rows.map(({ content, ...row }) => ({
    ...content,
    number: receiptNumber(row),
    kind: row.kind,
    orderId: row.orderId,
    issuedAt: row.issuedAt,
  }))
}
