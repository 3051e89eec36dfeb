import { z } from 'zod'
import { type Discounts, MOST_PERCENT, NO_DISCOUNTS } from '#shared/rules/money/months.ts'
import type { Db } from '../../db/database.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { readSetting, storeSetting } from '../../secrets/sealed-setting.ts'

const Percent = z.number().int().min(0).max(MOST_PERCENT)
const SETTING = {
  key: 'months-discounts',
  schema: z.object({ 3: Percent, 6: Percent, 12: Percent }),
}

/**
 * One setting for the whole installation: a server from stock belongs to no package, and a client
 * who moves between servers finds the same terms.
 */
export const readDiscounts = async (db: Db, keyring: Keyring): Promise<Discounts> =>
  (await readSetting(db, keyring, SETTING)) ?? NO_DISCOUNTS

export const storeDiscounts = (
  tx: Db,
  discounts: Discounts,
  store: { keyring: Keyring; now: Date },
): Promise<void> => storeSetting(tx, SETTING.key, discounts, store)
