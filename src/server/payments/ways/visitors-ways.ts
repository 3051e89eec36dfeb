import { paymentWays } from '../../config/payment-ways.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readSettings } from './payment-settings.ts'
import { chooseProviders, type ProviderChoice } from './provider-choice.ts'
import { readProviderRows } from './provider-rows.ts'

type VisitorDeps = Pick<Deps, 'db' | 'keyring' | 'config'>

export const currentChoice = async ({
  db,
  keyring,
  config,
}: VisitorDeps): Promise<ProviderChoice> =>
  chooseProviders(config, await readProviderRows(db, keyring))

/** What a visitor reads of the ways to pay: those that the operator does not hide. */
export async function visitorsWays(deps: VisitorDeps): Promise<string[]> {
  const { ways } = await readSettings(deps.db, deps.keyring)
  const { offered, btcpay } = await currentChoice(deps)
  return paymentWays(
    { paymentProviders: offered, btcpay },
    ways.filter(({ isHidden }) => isHidden).map(({ id }) => id),
  )
}
