import { asc, between, eq, max, min, sql } from 'drizzle-orm'
import { csvLine } from '#shared/csv.ts'
import { decimal } from '#shared/rules/money/money.ts'
import type { Db } from '../../db/database.ts'
import { inPeriod, type Period } from '../../db/in-period.ts'
import { ledger } from '../../db/schema/ledger.ts'
import { orders } from '../../db/schema/sales.ts'

type Row = typeof ledger.$inferSelect & {
  coupon: string | null
  discountCents: number | null
}

/** Read at once; a reader that is slow holds no more than this, and no connection. */
const STEP = 2000

const HEADER = [
  'time (UTC)',
  'posting',
  'account',
  'amount',
  'currency',
  'order',
  'payment',
  'provider',
  'reason',
  'coupon',
  'discount',
]

/**
 * The ledger of a period, oldest first, both entries of a posting one after the other. Debits are
 * positive. Says nothing of clients.
 *
 * Reads page by page in the order of ids. In any other order a database without statistics sorts the
 * whole table for each page, which takes minutes for half a million entries.
 */
export async function* ledgerTable(db: Db, period: Period): AsyncGenerator<string> {
  yield csvLine(HEADER)
  const within = inPeriod(ledger.at, period)
  const [edge] = await db
    .select({ first: min(ledger.id), last: max(ledger.id) })
    .from(ledger)
    .where(within)
  if (!edge || edge.first === null || edge.last === null) return
  const whole = wholePostings()
  for (let id = edge.first; id <= edge.last; id += STEP) {
    const end = Math.min(id + STEP - 1, edge.last)
    const rows = await db
      .select({
        row: ledger,
        coupon: orders.coupon,
        discountCents: orders.discountCents,
        isWithin: sql<boolean>`${within ?? true}`,
      })
      .from(ledger)
      .leftJoin(orders, eq(orders.id, ledger.orderId))
      .where(between(ledger.id, id, end))
      .orderBy(asc(ledger.id))
    const shown = rows.filter(({ isWithin }) => isWithin)
    const lines = whole(shown.map(({ row, ...order }) => ({ ...row, ...order }))).map(line)
    if (lines.length > 0) yield lines.join('')
  }
}

/**
 * Passes entries on once their posting sums to zero: two postings at once may take turns with their
 * ids. One that was stored in part after the walk began is left out.
 */
function wholePostings(): (rows: readonly Row[]) => Row[] {
  const open = new Map<string, { rows: Row[]; sum: number }>()
  return (rows) =>
    rows.flatMap((row) => {
      const posting = open.get(row.posting) ?? { rows: [], sum: 0 }
      posting.rows.push(row)
      posting.sum += row.amountCents
      if (posting.sum !== 0) {
        open.set(row.posting, posting)
        return []
      }
      open.delete(row.posting)
      return posting.rows
    })
}

/** On the one entry that earns the order's money, so that the column can be added up. */
const hasCoupon = ({ account, reason, coupon }: Row): boolean =>
  coupon !== null && account === 'earned' && reason === 'delivered'

const line = (row: Row): string =>
  csvLine([
    row.at.toISOString(),
    row.posting,
    row.account,
    decimal(row.amountCents),
    'USD',
    String(row.orderId ?? ''),
    String(row.paymentId ?? ''),
    row.provider ?? '',
    row.reason,
    hasCoupon(row) ? (row.coupon ?? '') : '',
    hasCoupon(row) ? decimal(row.discountCents ?? 0) : '',
  ])
