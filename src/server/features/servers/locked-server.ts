import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { ServerAct } from '#shared/rules/instance/server-acts.ts'
import type { Db } from '../../db/database.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { instanceFor } from '../../inventory/views/instance-rows.ts'
import type { Actor } from '../../sessions/actor.ts'
import { type ServerRow, serverRow } from './server-row.ts'
import { serverView, type ViewDeps } from './server-view.ts'

export type OwnedServer = ServerRow & { token: NonNullable<ServerRow['token']> }

/**
 * The server, if the act is possible now. Locks the token and then the instance, so that of two
 * requests the second sees the first.
 */
export async function lockServer(
  tx: Db,
  { actor, id, act }: { actor: Actor; id: number; act: ServerAct },
  deps: ViewDeps,
): Promise<OwnedServer> {
  const { tokenId } = await instanceFor(tx, actor, id)
  await tx
    .select()
    .from(tokens)
    .where(eq(tokens.id, tokenId ?? 0))
    .for('update')
  await tx.select().from(instances).where(eq(instances.id, id)).for('update')
  const row = await serverRow(tx, actor, id)
  const { why } = serverView(row, actor, deps).can[act]
  if (why !== null) throw new AppError('INVALID_STATE', why)
  return withToken(row)
}

export function withToken(row: ServerRow): OwnedServer {
  if (row.token) return { ...row, token: row.token }
  throw new AppError('INVALID_STATE', 'This server has no client.')
}
