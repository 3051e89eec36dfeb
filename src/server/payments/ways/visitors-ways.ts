import { paymentWays } from '../../config/payment-ways.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readSettings } from './payment-settings.ts'

/** What a visitor reads of the ways to pay: those that the operator does not hide. */
export async function visitorsWays({
  db,
  keyring,
  config,
}: Pick<Deps, 'db' | 'keyring' | 'config'>): Promise<string[]> {
  const { ways } = await readSettings(db, keyring)
  return paymentWays(
    config,
    ways.filter(({ isHidden }) => isHidden).map(({ id }) => id),
  )
}
