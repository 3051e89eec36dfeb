import { api } from '#shared/api/index.ts'
import type { SettableProvider } from '#shared/rules/money/provider-fields.ts'
import type { testClock } from '../../testing/test-app.ts'
import type { DatabaseKind } from '../../testing/test-db.ts'
import { openTill } from './till.ts'
import { byHand } from './till-by-hand.ts'

type Options = {
  database?: DatabaseKind
  clock: ReturnType<typeof testClock>
  env?: Record<string, string>
}
type Stand = { env: { PAYMENT_PROVIDER: string } & Record<string, string> }

/** A till whose providers are entered on the page: its environment names none. */
export async function openSetupTill({ env, ...options }: Options) {
  const stand = { env: { PAYMENT_PROVIDER: 'sandbox', DEMO: '0', ...env } }
  const till = await openTill(stand, options)
  const { t } = till
  const boss = await t.make.admin()
  // A session of its own for every call: the clock of a test passes the end of any.
  const owner = () => t.as(boss)
  const renew = async (paymentMethod?: string) => {
    const { client, token } = await till.tenant()
    const body = paymentMethod === undefined ? {} : { paymentMethod }
    const { order } = await t.as(client).call(api.client.renew, { params: { id: token.id }, body })
    return { client, order, payment: await till.paymentOf(order.id) }
  }
  return {
    ...till,
    /** Other parts on the same database, as another process has them. */
    hand: byHand(till),
    owner,
    renew,
    enter: ({ env: { PAYMENT_PROVIDER: name, ...fields } }: Stand, others = {}) =>
      owner().attempt(api.providerKeys.save, {
        params: { provider: name as SettableProvider },
        body: { fields: { ...fields, ...others } },
      }),
    turn: (provider: SettableProvider, isOn: boolean) =>
      owner().attempt(api.providerKeys.turn, { params: { provider }, body: { isOn } }),
    remove: (provider: SettableProvider) =>
      owner().attempt(api.providerKeys.remove, { params: { provider } }),
    setup: async (provider: SettableProvider) => {
      const found = await owner().call(api.providerKeys.list)
      const setup = found.find(({ name }) => name === provider)
      if (!setup) throw new Error('no such provider')
      return setup
    },
    offered: async () => (await t.visitor.call(api.paymentMethods.list)).map(({ id }) => id),
  }
}
