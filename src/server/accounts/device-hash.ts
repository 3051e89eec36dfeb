import { createHmac } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { settings } from '../db/schema/accounts.ts'
import type { Random } from '../lib/random.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { settingValue } from '../secrets/sealed-columns.ts'

const KEY = 'device-pepper'

/**
 * A keyed hash of a device identifier. The pepper is random, sealed in the database and not the
 * SECRET_KEY itself, so that rotating the key does not make every device look new.
 */
export async function hashDevice(
  tx: Db,
  keyring: Keyring,
  random: Random,
  device: string,
): Promise<string> {
  const fresh = keyring.seal(settingValue(KEY), random.bytes(32).toString('base64'))
  await tx.insert(settings).values({ key: KEY, value: fresh }).onConflictDoNothing()
  const [row] = await tx.select().from(settings).where(eq(settings.key, KEY))
  if (!row) throw new Error('the pepper was not stored')
  const pepper = keyring.open(settingValue(KEY), row.value)
  return createHmac('sha256', pepper).update(device).digest('hex')
}
