import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { webhooksService } from './webhooks.service.ts'

export function webhooksRoutes(
  app: FastifyInstance,
  service: ReturnType<typeof webhooksService>,
): void {
  implement(app, api.ownWebhooks, {
    list: ({ actor }) => service.list(actor),
    create: ({ actor, body }) => service.create(actor, body),
    update: ({ actor, params, body }) => service.update(actor, params.id, body),
    remove: async ({ actor, params }) => {
      await service.remove(actor, params.id)
      return undefined
    },
    deliveries: ({ actor, params }) => service.deliveries(actor, params.id),
    redeliver: async ({ actor, params, body }) => {
      await service.redeliver(actor, params.id, body.deliveryId)
      return undefined
    },
    test: ({ actor, params }) => service.test(actor, params.id),
    replaceSecret: ({ actor, params }) => service.replaceSecret(actor, params.id),
  })
}
