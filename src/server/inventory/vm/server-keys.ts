import { asc, eq } from 'drizzle-orm'
import { fingerprintOf } from '#shared/rules/ssh/public-key.ts'
import type { Db } from '../../db/database.ts'
import { serverKeys } from '../../db/schema/ssh-keys.ts'

/** The public keys that cloud-init puts on a server. */
export async function keysOn(db: Db, instanceId: number): Promise<string[]> {
  const rows = await db
    .select({ publicKey: serverKeys.publicKey })
    .from(serverKeys)
    .where(eq(serverKeys.instanceId, instanceId))
    .orderBy(asc(serverKeys.fingerprint))
  return rows.map(({ publicKey }) => publicKey)
}

export async function putKeysOn(
  tx: Db,
  instanceId: number,
  publicKeys: readonly string[],
): Promise<void> {
  if (publicKeys.length === 0) return
  const rows = await Promise.all(
    publicKeys.map(async (publicKey) => ({
      instanceId,
      publicKey,
      fingerprint: await fingerprintOf(publicKey),
    })),
  )
  await tx.insert(serverKeys).values(rows).onConflictDoNothing()
}

/** For a server that gets another login. */
export async function replaceKeysOn(
  tx: Db,
  instanceId: number,
  publicKeys: readonly string[],
): Promise<void> {
  await takeKeysOff(tx, instanceId)
  await putKeysOn(tx, instanceId, publicKeys)
}

/** For a VM that is released, or given to another client. */
export async function takeKeysOff(tx: Db, instanceId: number): Promise<void> {
  await tx.delete(serverKeys).where(eq(serverKeys.instanceId, instanceId))
}
