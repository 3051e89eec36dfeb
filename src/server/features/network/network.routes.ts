import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { networkService } from './network.service.ts'

export function networkRoutes(
  app: FastifyInstance,
  network: ReturnType<typeof networkService>,
): void {
  implement(app, api.network, {
    get: ({ actor, params }) => network.get(actor, params.id),
    setMail: ({ actor, params, body }) => network.setMail(actor, params.id, body.isOpen),
  })
  implement(app, api.protection, {
    get: ({ query }) => network.protection(query),
    set: ({ actor }) => network.protect(actor),
  })
}
