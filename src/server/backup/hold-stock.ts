import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import { STOCK } from '#shared/rules/token/token-status.ts'
import type { Db } from '../db/database.ts'
import { tokens } from '../db/schema/stock.ts'

/**
 * A VM that is sold as it is looks the same before and after its sale. One sold after the backup is
 * on sale again in it, with a client inside: so none of them is sold until an operator has looked.
 * Clones need no such stop: their address is seen to be in use. Returns how many are held.
 */
export async function holdReadyStock(tx: Db, madeAt: string): Promise<number> {
  const held = await tx
    .update(tokens)
    .set({ blocked: `Restored from a backup of ${madeAt.slice(0, 10)}: ${REMEDY}` })
    .where(
      and(
        eq(tokens.tokenType, 'ready'),
        inArray(tokens.status, STOCK),
        isNotNull(tokens.instanceId),
      ),
    )
    .returning({ id: tokens.id })
  return held.length
}

const REMEDY = 'check that no client got this VM since, then save the token to sell it again.'
