import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { apiKeys } from '../db/schema/ssh-keys.ts'
import { webhooks } from '../db/schema/work.ts'

/** Ends every key and webhook of an account: an intruder may have made one of them. */
export async function endProgramsOf(tx: Db, userId: number): Promise<void> {
  await tx.delete(apiKeys).where(eq(apiKeys.userId, userId))
  await tx.delete(webhooks).where(eq(webhooks.userId, userId))
}

/**
 * An account gives one of its servers away: takes it out of the keys made for several, and ends the
 * keys made for it alone.
 */
export async function endKeysOfServer(
  tx: Db,
  { userId, instanceId }: { userId: number; instanceId: number },
): Promise<void> {
  const it = sql`${JSON.stringify([instanceId])}::jsonb`
  const isForIt = sql`${apiKeys.instanceIds} @> ${it}`
  const isTheirs = and(eq(apiKeys.userId, userId), isForIt)
  await tx.delete(apiKeys).where(and(isTheirs, sql`${apiKeys.instanceIds} <@ ${it}`))
  // Never null, which means all servers: an empty list is none.
  const others = sql`jsonb_path_query_array(
    ${apiKeys.instanceIds}, '$[*] ? (@ != $it)', ${JSON.stringify({ it: instanceId })}::jsonb)`
  await tx.update(apiKeys).set({ instanceIds: others }).where(isTheirs)
}
