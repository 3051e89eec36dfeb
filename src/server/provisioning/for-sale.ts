import { type SQL, sql } from 'drizzle-orm'
import { AppError, notFound } from '#shared/errors.ts'
import { isStock } from '#shared/rules/token-status.ts'
import { askTogether } from '../db/ask-together.ts'
import type { Db } from '../db/database.ts'
import { tokens } from '../db/schema/stock.ts'
import type { Deps } from '../deps.ts'
import { stockProblems } from './stock-health.ts'
import { idNamed, statusOf, type TokenRow } from './token-rows.ts'

export const taken = () =>
  new AppError('TOKEN_TAKEN', 'This token is no longer available: somebody was faster.')

/**
 * Refuses a token, named by its id or its public name, that cannot be had or delivered now. Asked
 * before the transaction that claims it: whoever comes too late needs no lock to learn it, and a
 * crowd shares the questions.
 */
export function createForSale({ db, hypervisors }: Pick<Deps, 'db' | 'hypervisors'>) {
  const query = db
    .select()
    .from(tokens)
    .where(
      sql`${tokens.tokenId} = any(${sql.placeholder('names')}) or ${tokens.id} = any(${sql.placeholder('ids')})`,
    )
    .prepare('find_tokens')

  const judgeAll = askTogether(async (asked: string[]) => {
    const names = [...new Set(asked)]
    const ids = names.map(idNamed).filter((id) => id !== undefined)
    const rows = await query.execute({ names, ids })
    const problems = await stockProblems(db, rows, hypervisors)
    const judged = rows.map((row) => ({ row, refusal: refusalOf(row, problems.get(row.id)) }))
    return new Map(
      judged.flatMap(({ row, refusal }) => [
        [row.tokenId, { refusal }] as const,
        [`${row.id}`, { refusal }] as const,
      ]),
    )
  })

  return async (name: string): Promise<void> => {
    const found = await judgeAll(name)
    if (!found) throw notFound('Token')
    if (found.refusal) throw found.refusal()
  }
}

/** Why a claim went wrong, inside the transaction that tried it. */
export async function whyGone(tx: Db, which: SQL | undefined): Promise<AppError> {
  const [found] = await tx.select({ status: tokens.status }).from(tokens).where(which)
  return goneAs(found)?.() ?? taken()
}

type Refusal = () => AppError

function refusalOf(row: TokenRow, problem: string | undefined): Refusal | undefined {
  if (problem === undefined) return goneAs(row)
  return () => new AppError('INVALID_STATE', `This token cannot be delivered now. ${problem}`)
}

/** Absent, or somebody was faster: that it is somebody's is all a stranger learns (T3). */
function goneAs(found: Pick<TokenRow, 'status'> | undefined): Refusal | undefined {
  if (!found || found.status === 'cancelled') return () => notFound('Token')
  return isStock(statusOf(found)) ? undefined : taken
}
