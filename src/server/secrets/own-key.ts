import { eq } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { settings } from '../db/schema/accounts.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Keyring } from './keyring.ts'
import { settingValue } from './sealed-columns.ts'

const BYTES = 32

/**
 * A key for one purpose, made at its first use and sealed like every secret: a new SECRET_KEY seals
 * it again, and what was hashed with it stays valid.
 */
export async function ownKey(
  tx: Db,
  name: string,
  { keyring, random, clock }: { keyring: Keyring; random: Random; clock: Clock },
): Promise<string> {
  const place = settingValue(name)
  const fresh = keyring.seal(place, random.bytes(BYTES).toString('base64url'))
  await tx
    .insert(settings)
    .values({ key: name, value: fresh, updatedAt: clock.now() })
    .onConflictDoNothing()
  const [row] = await tx.select().from(settings).where(eq(settings.key, name))
  if (!row) throw new Error(`the key of ${name} was not stored`)
  return keyring.open(place, row.value)
}
