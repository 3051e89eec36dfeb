import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import type { Db } from '../../db/database.ts'
import { implement, implementRaw } from '../../http/implement.ts'
import type { Ways } from '../../payments/ways/ways.ts'
import type { Webhooks } from '../../payments/webhooks.ts'
import type { billingPlansService } from './billing-plans.service.ts'
import type { discountsService } from './discounts.service.ts'
import type { paymentsService } from './payments.service.ts'
import type { providerKeysService } from './provider-keys.service.ts'
import type { waysService } from './ways.service.ts'

type Services = {
  payments: ReturnType<typeof paymentsService>
  discounts: ReturnType<typeof discountsService>
  plans: ReturnType<typeof billingPlansService>
  webhooks: Webhooks
  arrangement: ReturnType<typeof waysService>
  keys: ReturnType<typeof providerKeysService>
  ways: Ways
  db: Db
}

export function paymentsRoutes(app: FastifyInstance, services: Services) {
  const { payments, plans, discounts, webhooks, arrangement, keys, ways, db } = services
  implement(app, api.payments, {
    status: () => payments.status(),
    test: ({ body }) => payments.test(body),
    arrange: ({ actor, body }) => arrangement.arrange(actor, body),
    discounts: () => discounts.get(),
    setDiscounts: ({ actor, body }) => discounts.set(actor, body),
    plans: () => plans.list(),
    addPlan: ({ actor, body }) => plans.add(actor, body),
    removePlan: async ({ actor, params }) => {
      await plans.remove(actor, params.id)
      return undefined
    },
  })
  implement(app, api.providerKeys, {
    list: () => keys.list(),
    save: ({ actor, params, body }) => keys.save(actor, params.provider, body.fields),
    remove: ({ actor, params }) => keys.remove(actor, params.provider),
    turn: ({ actor, params, body }) => keys.turn(actor, params.provider, body.isOn),
  })
  implement(app, api.paymentMethods, {
    list: () => ways.offered(db),
    outages: () => ways.outages(db),
  })
  implementRaw(app, api.webhooks, {
    stripe: ({ body, headers }) => webhooks.receive('stripe', body, headers),
    btcpay: ({ body, headers }) => webhooks.receive('btcpay', body, headers),
  })
}
