import { eq } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { tokens } from '../db/schema/stock.ts'
import { type Random, randomPassword } from '../lib/random.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { sealPassword, type TokenRow } from './token-rows.ts'

type SecretDeps = { random: Random; keyring: Keyring }

/**
 * Sets a new password for each hand-over (T8), stored before the VM is created with it. An existing
 * VM keeps its guest's password until the guest has taken the new one. A server with keys has none.
 */
export async function freshPassword(
  tx: Db,
  { tokenId, hasKeys }: { tokenId: number; hasKeys: boolean },
  { random, keyring }: SecretDeps,
): Promise<void> {
  const [token] = await tx.select().from(tokens).where(eq(tokens.id, tokenId)).for('update')
  if (token?.tokenType !== 'ip_mac') return
  await storePassword(tx, token, hasKeys ? '' : randomPassword(random), keyring)
}

export const storePassword = (
  tx: Db,
  { id, tokenId }: Pick<TokenRow, 'id' | 'tokenId'>,
  password: string,
  keyring: Keyring,
) =>
  tx
    .update(tokens)
    .set({ password: sealPassword(keyring, tokenId, password) })
    .where(eq(tokens.id, id))
