import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { paymentLinksService } from './payment-links.service.ts'

export function paymentLinksRoutes(
  app: FastifyInstance,
  links: ReturnType<typeof paymentLinksService>,
): void {
  implement(app, api.paymentLinks, {
    get: ({ actor, params }) => links.get(actor, params.id),
    create: ({ actor, params }) => links.create(actor, params.id),
    remove: async ({ actor, params }) => {
      await links.remove(actor, params.id)
      return undefined
    },
    show: ({ params }) => links.show(params.code),
    pay: ({ params, body }) => links.pay(params.code, body),
  })
}
