import { api } from '#shared/api/index.ts'
import type { Till } from '../../payments/testing/till.ts'
import { PLAN } from './press.ts'
import type { Case } from './ways-back.ts'

/** A server of this client, and the operator who sells packages. */
type Sold = {
  server: () => Promise<{ params: { id: number } }>
  client: ReturnType<Till['t']['as']>
  admin: ReturnType<Till['t']['as']>
}

/** A client buys credit, pays for a larger package with it, and makes a link to pay by. */
export const creditCases = (house: Till, sold: Sold): Case[] => {
  const { t } = house
  return [
    {
      route: api.credit.topUp,
      arrange: async () => [t.as(await t.make.client()), { body: { amount: '5.00' } }],
    },
    {
      route: api.packageChange.change,
      arrange: async () => {
        const { client, admin, server } = sold
        const { params } = await server()
        const larger = { ...PLAN, cpu: '4 CPU', ram: '4 GB', storage: '30 GB SSD', price: 9 }
        const { id: packageId } = await admin.call(api.packages.create, { body: larger })
        await client.call(api.credit.topUp, { body: { amount: '9.00' } })
        return [client, { params, body: { packageId, restart: false } }]
      },
    },
    {
      route: api.paymentLinks.create,
      arrange: async () => {
        const owned = await house.tenant()
        return [t.as(owned.client), { params: { id: owned.token.id } }]
      },
    },
  ]
}
