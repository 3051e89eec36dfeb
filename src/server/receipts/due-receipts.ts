import { and, asc, eq, gte, isNull, or } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { ledger, receipts } from '../db/schema/ledger.ts'
import { orders } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'

/** Which entries to look at: those of one order, or those since a moment; all without both. */
export type Which = { orderId?: number; since?: Date }

export type DueReceipt = Awaited<ReturnType<typeof dueReceipts>>[number]

/**
 * The entries that have no receipt yet: what was earned or given back, and with a top-up, which
 * delivers money itself, what became credit or ceased to be it.
 */
export const dueReceipts = (db: Db, { orderId, since }: Which, most: number) =>
  db
    .select({ entry: ledger, order: orders, days: tokens.durationDays })
    .from(ledger)
    .innerJoin(orders, eq(orders.id, ledger.orderId))
    .leftJoin(tokens, eq(tokens.id, orders.tokenId))
    .leftJoin(receipts, eq(receipts.ledgerId, ledger.id))
    .where(
      and(
        isNull(receipts.number),
        or(
          eq(ledger.account, 'earned'),
          and(eq(ledger.account, 'credit'), eq(orders.kind, 'top-up')),
        ),
        orderId === undefined ? undefined : eq(ledger.orderId, orderId),
        since === undefined ? undefined : gte(ledger.at, since),
      ),
    )
    .orderBy(asc(ledger.id))
    .limit(most)
