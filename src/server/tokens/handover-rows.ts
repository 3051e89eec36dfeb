import { and, eq, gte, isNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { CdKind } from '#shared/rules/instance/cds.ts'
import type { Db } from '../db/database.ts'
import { handoverCodes, handovers } from '../db/schema/handovers.ts'
import { ENDED_SUBSCRIPTIONS, orders, subscriptions } from '../db/schema/sales.ts'
import { snapshots } from '../db/schema/snapshots.ts'
import { serverCds } from '../db/schema/stock.ts'

export type TransferState = {
  /** Until when a code of its owner is open, or was. */
  openUntil: string | null
  isLoginPending: boolean
  hasOpenRenewal: boolean
  hasSnapshots: boolean
  /** What is in its CD drive. */
  cd: CdKind | null
  renewsItself: boolean
}

type Value<T> = SQLWrapper | T
type OfServer = {
  tokenId: Value<number>
  instanceId: Value<number>
  ownerId: Value<number | null>
}

/** What but its backups speaks for or against handing over a server, as JSON within a query. */
export const transferState = ({
  tokenId,
  instanceId,
  ownerId,
}: OfServer): SQL<TransferState> => sql`
  json_build_object(
    'openUntil', (select c.expires_at from ${handoverCodes} c
      where c.token_id = ${tokenId} and c.giver_id = ${ownerId}),
    'isLoginPending', exists(select 1 from ${handovers} h
      where h.token_id = ${tokenId} and h.login_set_at is null),
    'hasOpenRenewal', exists(select 1 from ${orders} o
      where o.token_id = ${tokenId} and o.kind = 'renewal' and o.status = 'pending'),
    'hasSnapshots', exists(select 1 from ${snapshots} n where n.instance_id = ${instanceId}),
    'cd', (select d.kind from ${serverCds} d where d.instance_id = ${instanceId}),
    'renewsItself', exists(select 1 from ${subscriptions} s
      where s.token_id = ${tokenId} and not s.cancel_at_period_end
        and s.status not in (${sql.raw(ENDED_SUBSCRIPTIONS.map((one) => `'${one}'`).join(', '))})))`

/** True if this account handed the token's server over after this moment: its payments are for it. */
export async function handedOverBy(
  tx: Db,
  userId: number,
  { tokenId, since }: { tokenId: number; since: Date },
): Promise<boolean> {
  const [row] = await tx
    .select({ id: handovers.id })
    .from(handovers)
    .where(
      and(eq(handovers.tokenId, tokenId), eq(handovers.giverId, userId), gte(handovers.at, since)),
    )
    .limit(1)
  return row !== undefined
}

export async function isLoginPending(tx: Db, tokenId: number): Promise<boolean> {
  const [row] = await tx
    .select({ id: handovers.id })
    .from(handovers)
    .where(and(eq(handovers.tokenId, tokenId), isNull(handovers.loginSetAt)))
    .limit(1)
  return row !== undefined
}

/** The login of the new owner is in force; a job that would still replace it has nothing to do. */
export const markLoginSet = (tx: Db, instanceId: number, now: Date) =>
  tx
    .update(handovers)
    .set({ loginSetAt: now })
    .where(and(eq(handovers.instanceId, instanceId), isNull(handovers.loginSetAt)))
