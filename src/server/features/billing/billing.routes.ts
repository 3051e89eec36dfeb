import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import { toClientOrder } from '../../orders/orders.ts'
import type { Subscriptions } from '../../payments/subscriptions.ts'
import type { createPackageOrders } from '../../provisioning/package-orders.ts'
import type { billingService } from './billing.service.ts'

type Services = {
  billing: ReturnType<typeof billingService>
  packageOrders: ReturnType<typeof createPackageOrders>
  subscriptions: Subscriptions
}

export function billingRoutes(
  app: FastifyInstance,
  { billing, packageOrders, subscriptions }: Services,
): void {
  implement(app, api.billing, {
    order: async ({ actor, body, visitor }) => {
      const placed = await packageOrders.order(actor, body, visitor.address)
      const { order, checkoutUrl } = placed
      return { order: toClientOrder(order), checkoutUrl }
    },
    overview: ({ actor }) => billing.overview(actor),
    details: ({ actor, params }) => billing.details(actor, params.id),
    pay: ({ actor, params, body }) => billing.pay(actor, params.id, body),
    cancel: async ({ actor, params }) => {
      await billing.cancel(actor, params.id)
      return undefined
    },
    subscribe: ({ actor, params }) => subscriptions.subscribe(actor, params.id),
    unsubscribe: ({ actor, params }) => subscriptions.unsubscribe(actor, params.id),
  })
}
