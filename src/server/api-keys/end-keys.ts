import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { apiKeys } from '../db/schema/ssh-keys.ts'
import { webhooks } from '../db/schema/work.ts'

/** Ends every key and webhook of an account: an intruder may have made one of them. */
export async function endProgramsOf(tx: Db, userId: number): Promise<void> {
  await tx.delete(apiKeys).where(eq(apiKeys.userId, userId))
  await tx.delete(webhooks).where(eq(webhooks.userId, userId))
}

/** Ends the keys that an account made for one of its servers, because it gives the server away. */
export async function endKeysOfServer(
  tx: Db,
  { userId, instanceId }: { userId: number; instanceId: number },
): Promise<void> {
  const isForIt = sql`${apiKeys.instanceIds} @> ${JSON.stringify([instanceId])}::jsonb`
  await tx.delete(apiKeys).where(and(eq(apiKeys.userId, userId), isForIt))
}
