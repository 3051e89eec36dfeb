import { createHmac } from 'node:crypto'
import { readVoucher } from '#shared/rules/money/voucher-code.ts'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../runtime/deps.ts'
import { ownKey } from '../../secrets/own-key.ts'

/** Hashes codes with a key of their own: vouchers that are already printed stay valid. */
export async function voucherHash(
  tx: Db,
  deps: Pick<Deps, 'keyring' | 'random' | 'clock'>,
): Promise<(typed: string) => string> {
  const key = await ownKey(tx, 'voucher-key', deps)
  return (typed) => createHmac('sha256', key).update(readVoucher(typed)).digest('base64url')
}
