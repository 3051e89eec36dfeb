import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement, implementRaw } from '../../http/implement.ts'
import type { Webhooks } from '../../payments/webhooks.ts'
import type { billingPlansService } from './billing-plans.service.ts'
import type { paymentsService } from './payments.service.ts'

type Services = {
  payments: ReturnType<typeof paymentsService>
  plans: ReturnType<typeof billingPlansService>
  webhooks: Webhooks
}

export function paymentsRoutes(app: FastifyInstance, { payments, plans, webhooks }: Services) {
  implement(app, api.payments, {
    status: () => payments.status(),
    test: () => payments.test(),
    plans: () => plans.list(),
    addPlan: ({ actor, body }) => plans.add(actor, body),
    removePlan: async ({ actor, params }) => {
      await plans.remove(actor, params.id)
      return undefined
    },
  })
  implementRaw(app, api.webhooks, {
    stripe: ({ body, headers }) => webhooks.receive('stripe', body, headers),
    btcpay: ({ body, headers }) => webhooks.receive('btcpay', body, headers),
  })
}
