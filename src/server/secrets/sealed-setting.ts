import { eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { Db } from '../db/database.ts'
import { settings } from '../db/schema/accounts.ts'
import type { Keyring } from './keyring.ts'
import { settingValue } from './sealed-columns.ts'

/** One setting of the installation, as JSON; undefined until it is stored. */
export async function readSetting<S extends z.ZodType>(
  db: Db,
  keyring: Keyring,
  { key, schema }: { key: string; schema: S },
): Promise<z.output<S> | undefined> {
  const [row] = await db.select().from(settings).where(eq(settings.key, key))
  return row && schema.parse(JSON.parse(keyring.open(settingValue(key), row.value)))
}

export async function storeSetting(
  tx: Db,
  key: string,
  value: unknown,
  { keyring, now }: { keyring: Keyring; now: Date },
): Promise<void> {
  const set = {
    value: keyring.seal(settingValue(key), JSON.stringify(value)),
    updatedAt: now,
  }
  await tx
    .insert(settings)
    .values({ key, ...set })
    .onConflictDoUpdate({ target: settings.key, set })
}
