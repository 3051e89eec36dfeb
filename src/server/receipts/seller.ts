import { Seller } from '#shared/api/shop/receipts.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { readSetting, storeSetting } from '../secrets/sealed-setting.ts'

const SETTING = { key: 'seller', schema: Seller }

type SellerDeps = { keyring: Keyring; config: Pick<Config, 'operator'> }

/** What receipts say of the operator: as stored, else what the environment says to every visitor. */
export async function readSeller(db: Db, { keyring, config }: SellerDeps): Promise<Seller> {
  const stored = await readSetting(db, keyring, SETTING)
  if (stored) return stored
  const { name = null, place = null } = config.operator
  return { name, address: place, taxId: null }
}

export const storeSeller = (
  tx: Db,
  seller: Seller,
  store: { keyring: Keyring; now: Date },
): Promise<void> => storeSetting(tx, SETTING.key, seller, store)
