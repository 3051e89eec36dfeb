import { api } from '#shared/api/index.ts'
import type { Till } from '../../payments/testing/till.ts'
import type { Case } from './ways-back.ts'

/** A client buys credit, and makes a link to pay by. */
export const creditCases = (house: Till): Case[] => {
  const { t } = house
  return [
    {
      route: api.credit.topUp,
      arrange: async () => [t.as(await t.make.client()), { body: { amount: '5.00' } }],
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
