import { and, desc, eq, ne, notInArray, type SQL, sql } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import { isStock } from '#shared/rules/token/token-status.ts'
import type { Db } from '../../db/database.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { batched } from '../../lib/async/batch.ts'
import type { OrderRow } from '../../orders/orders.ts'
import type { Deps } from '../../runtime/deps.ts'
import { idNamed, type TokenRow } from '../../tokens/token-rows.ts'
import { stockProblems } from './stock-health.ts'

export const taken = () =>
  new AppError('TOKEN_TAKEN', 'This token is no longer available: somebody was faster.')

/**
 * The caller claimed it earlier, for example in another tab; `details.orderId` leads to that order.
 */
export const yours = ({ id, status }: Pick<OrderRow, 'id' | 'status'>) =>
  new AppError(
    'TOKEN_YOURS',
    status === 'pending'
      ? 'You have already reserved this server. Pay your order to get it.'
      : 'This server is already yours.',
    { details: { orderId: id } },
  )

/**
 * Refuses a token, named by its id or its public name, that cannot be claimed or delivered now.
 * Runs before the transaction that claims it: a late caller is refused without a lock, and
 * concurrent callers share the queries.
 */
export function createForSale({ db, hypervisors }: Pick<Deps, 'db' | 'hypervisors'>) {
  const query = db
    .select()
    .from(tokens)
    .where(
      sql`${tokens.tokenId} = any(${sql.placeholder('names')}) or ${tokens.id} = any(${sql.placeholder('ids')})`,
    )
    .prepare('find_tokens')

  const judgeAll = batched(async (asked: string[]) => {
    const names = [...new Set(asked)]
    const ids = names.map(idNamed).filter((id) => id !== undefined)
    const rows = await query.execute({ names, ids })
    const problems = await stockProblems(db, rows, hypervisors)
    const judged = rows.map((row) => ({ row, refusal: refusalOf(row, problems.get(row.id)) }))
    return new Map(
      judged.flatMap((one) => [[one.row.tokenId, one] as const, [`${one.row.id}`, one] as const]),
    )
  })

  return async (name: string, userId?: number): Promise<void> => {
    const found = await judgeAll(name)
    if (!found) throw notFound('Token')
    if (found.refusal === taken) throw await takenFrom(db, found.row, userId)
    if (found.refusal) throw found.refusal()
  }
}

/** The error for a failed claim, inside the transaction that tried it. */
export async function claimRefusal(
  tx: Db,
  which: SQL | undefined,
  userId?: number,
): Promise<AppError> {
  const [found] = await tx.select().from(tokens).where(which)
  const gone = goneAs(found) ?? taken
  return found && gone === taken ? await takenFrom(tx, found, userId) : gone()
}

/** Queries only for the caller who has the token: for every other caller it is simply taken. */
async function takenFrom(db: Db, token: TokenRow, userId: number | undefined): Promise<AppError> {
  if (userId === undefined || token.assignedUserId !== userId) return taken()
  const [order] = await db
    .select({ id: orders.id, status: orders.status })
    .from(orders)
    .where(
      and(
        eq(orders.tokenId, token.id),
        eq(orders.userId, userId),
        ne(orders.status, 'cancelled'),
        notInArray(orders.kind, ['renewal', 'change']),
      ),
    )
    .orderBy(desc(orders.id))
    .limit(1)
  return order ? yours(order) : taken()
}

type Refusal = () => AppError

function refusalOf(row: TokenRow, problem: string | undefined): Refusal | undefined {
  if (problem === undefined) return goneAs(row)
  return () => new AppError('INVALID_STATE', `This token cannot be delivered now. ${problem}`)
}

/** The token does not exist or is taken: a stranger learns no more than that it is taken (T3). */
function goneAs(found: Pick<TokenRow, 'status'> | undefined): Refusal | undefined {
  if (!found || found.status === 'cancelled') return () => notFound('Token')
  return isStock(found.status) ? undefined : taken
}
